import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { type Clock, SluiceError } from '@sluice/protocol'
import Type, { type Static } from 'typebox'
import { parseJsonFile } from './json-file.ts'
import { createPrivateFile, readPrivateFile } from './private-file.ts'

/** The valid logins. A login that is not listed is worthless, even with a valid signature. */
export interface Logins {
  /** Lists a login. If its subject then has more than 32, ends the oldest. Throws `storage_failed`. */
  add(login: Login): void
  has(id: string): boolean
  /**
   * Throws `storage_failed` when the end is not durable; the login then stays ended only until the process
   * ends.
   */
  end(id: string): void
}

const login = Type.Object(
  { id: Type.String(), subject: Type.String(), expiresAt: Type.Number() },
  { additionalProperties: false },
)
const loginsFile = Type.Object(
  { version: Type.Literal(1), logins: Type.Array(login) },
  { additionalProperties: false },
)

export type Login = Readonly<Static<typeof login>>

const maxPerSubject = 32

/**
 * The logins in the file `path`; without it, they end with the process. Throws `bad_config` when the file is
 * bad.
 */
export function openLogins(clock: Clock, path?: string): Logins {
  let listed = new Map<string, Login>()
  if (path !== undefined && existsSync(path)) {
    const { logins } = parseJsonFile(path, readPrivateFile(path), loginsFile)
    listed = new Map(logins.map((each) => [each.id, each]))
  }

  const isCurrent = (id: string): boolean => (listed.get(id)?.expiresAt ?? 0) > clock.now()

  function save(next: Map<string, Login>): void {
    if (path === undefined) return
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    try {
      createPrivateFile(draft, `${JSON.stringify({ version: 1, logins: [...next.values()] }, null, 2)}\n`)
      renameSync(draft, path)
    } catch (cause) {
      throw new SluiceError('storage_failed', { message: 'The logins cannot be written.', cause })
    }
  }

  return {
    add(added) {
      const next = new Map([...listed].filter(([id]) => isCurrent(id)))
      const before = [...next.values()].filter(({ subject }) => subject === added.subject)
      for (const { id } of before.slice(0, Math.max(0, before.length - maxPerSubject + 1))) next.delete(id)
      next.set(added.id, added)
      save(next)
      listed = next
    },
    has: isCurrent,
    end(id) {
      if (listed.delete(id)) save(listed)
    },
  }
}
