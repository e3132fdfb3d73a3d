import { omitUndefined, SluiceError } from '@sluice/protocol'
import Type from 'typebox'
import { hashApiKey, keyHashPattern, keyIdPattern, mintApiKey } from './api-key.ts'
import { reservedSubjects } from './caller.ts'
import { grantForm, maxGrants, parseGrant } from './grants.ts'
import { parseJsonFile } from './json-file.ts'
import { editPrivateFile, readIfThere } from './private-file.ts'
import { type WatchedFile, type WatchParts, watchFile } from './watched-file.ts'

const keyRecord = Type.Object(
  {
    id: Type.String({ pattern: keyIdPattern }),
    subject: Type.String({ minLength: 1, maxLength: 256 }),
    hash: Type.String({ pattern: keyHashPattern }),
    grants: Type.Array(Type.String(), { maxItems: maxGrants }),
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    createdAt: Type.Optional(Type.String()),
    expiresAt: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const keyFile = Type.Object(
  { version: Type.Literal(1), keys: Type.Array(keyRecord) },
  { additionalProperties: false },
)

/** An API key as the file stores it: its holder, what it allows, and a hash of the key itself. */
export type KeyRecord = Readonly<Type.Static<typeof keyRecord>>

/** The keys of a file by id. */
export type KeyTable = ReadonlyMap<string, KeyRecord>

/** Opens a file of API keys; a missing file holds no keys. Throws `bad_config` with the faulty place. */
export function watchKeyFile(path: string, parts: WatchParts): WatchedFile<KeyTable> {
  return watchFile(path, { ...parts, parse: (text) => parseKeys(path, text) })
}

/** The keys of a file, in the order of the file. */
export function listKeys(path: string): readonly KeyRecord[] {
  return [...parseKeys(path, readIfThere(path)).values()]
}

export interface NewKey {
  readonly subject: string
  readonly grants: readonly string[]
  readonly agent?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt?: number
}

/**
 * Adds a key to the file and returns it. The key cannot be recovered later: the file stores only its hash.
 */
export function addKey(path: string, made: NewKey): { readonly id: string; readonly key: string } {
  const { id, key } = mintApiKey()
  const record: KeyRecord = {
    id,
    subject: made.subject,
    hash: hashApiKey(key),
    grants: [...made.grants],
    createdAt: new Date(made.createdAt).toISOString(),
    ...omitUndefined({
      agent: made.agent,
      expiresAt: made.expiresAt === undefined ? undefined : new Date(made.expiresAt).toISOString(),
    }),
  }
  editKeys(path, (keys) => [...keys, record])
  return { id, key }
}

/** Removes a key from the file; false when the file has no key with this id. */
export function revokeKey(path: string, id: string): boolean {
  let isFound = false
  editKeys(path, (keys) => {
    isFound = keys.some((key) => key.id === id)
    return keys.filter((key) => key.id !== id)
  })
  return isFound
}

/** When the key expires, in milliseconds; undefined when it never does. */
export function expiryOf(record: KeyRecord): number | undefined {
  return record.expiresAt === undefined ? undefined : Date.parse(record.expiresAt)
}

function editKeys(path: string, edit: (keys: readonly KeyRecord[]) => readonly KeyRecord[]): void {
  editPrivateFile(path, (before) => {
    const keys = edit([...parseKeys(path, before).values()])
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`
    parseKeys(path, text) // never write a file that could not be read again
    return text
  })
}

function parseKeys(path: string, text: string | undefined): KeyTable {
  if (text === undefined) return new Map()
  const content = parseJsonFile(path, text, keyFile)
  const table = new Map<string, KeyRecord>()
  for (const [index, record] of content.keys.entries()) {
    const fault = faultOf(record, table)
    if (fault !== undefined)
      throw new SluiceError('bad_config', { message: `${path}: /keys/${index}/${fault}` })
    table.set(record.id, record)
  }
  return table
}

/** The faulty place in a record, and the reason. */
function faultOf(record: KeyRecord, others: KeyTable): string | undefined {
  if (others.has(record.id)) return 'id: another key has it already'
  if (reservedSubjects.includes(record.id)) return 'id: the name is reserved'
  if (reservedSubjects.includes(record.subject)) return 'subject: the name is reserved'
  const bad = record.grants.findIndex((grant) => parseGrant(grant) === undefined)
  if (bad >= 0) return `grants/${bad}: a grant is ${grantForm}`
  for (const name of ['createdAt', 'expiresAt'] as const) {
    const time = record[name]
    if (time !== undefined && !isTime(time)) return `${name}: not a time such as 2027-01-31T12:00:00Z`
  }
  return undefined
}

function isTime(text: string): boolean {
  const hasForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
  return hasForm && !Number.isNaN(Date.parse(text))
}
