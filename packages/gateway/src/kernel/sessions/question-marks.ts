import { createHash } from 'node:crypto'
import type { Mark } from '@sluice/log'
import { type Entry, isJsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { countdownOf } from '../questions/question-notes.ts'

/** An open question, as it is restored at start. */
export interface OpenMark {
  readonly session: string
  readonly token: string
  readonly seq: number
  /** When it was stored. */
  readonly at: number
  readonly timeoutMs: number | undefined
  readonly dialect: string
  /** Who published it, unless that was without a credential. */
  readonly subject: string | undefined
}

/** The prefixes of the marks: open questions, their notices, and used tokens. */
export const openPrefix = 'question/'
export const noticePrefix = 'countdown/'
export const usedPrefix = 'token/'

/** The marks that questions leave in the log, so that start finds them without reading entries. */
export function questionMarks(
  entries: readonly Entry[],
  at: number,
): Readonly<Record<string, JsonValue>> | undefined {
  let marks: Record<string, JsonValue> | undefined
  for (const entry of entries) {
    for (const event of entry.events) {
      if (event.kind === 'question-open') {
        marks ??= {}
        const name = toMarkName(event.token)
        marks[openPrefix + name] = {
          seq: entry.seq,
          at,
          timeoutMs: event.timeoutMs ?? null,
          dialect: entry.source.dialect,
          ...omitUndefined({ subject: entry.source.subject }),
          ...(name === event.token ? {} : { token: event.token }),
        }
      } else if (event.kind === 'question-close') {
        marks ??= {}
        const name = toMarkName(event.token)
        marks[openPrefix + name] = null
        marks[noticePrefix + name] = null
        marks[usedPrefix + name] = name === event.token ? at : { at, token: event.token }
      } else if (entry.direction === 'system') {
        const token = countdownOf(event)
        if (token === undefined) continue
        marks ??= {}
        marks[noticePrefix + toMarkName(token)] = at
      }
    }
  }
  return marks
}

export function readOpenMark({ session, name, value }: Mark): OpenMark | undefined {
  if (!isJsonObject(value)) return undefined
  const { seq, at, timeoutMs, dialect, token, subject } = value
  if (typeof seq !== 'number' || typeof at !== 'number') return undefined
  return {
    session,
    token: typeof token === 'string' ? token : name.slice(openPrefix.length),
    seq,
    at,
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    dialect: typeof dialect === 'string' ? dialect : '',
    subject: typeof subject === 'string' ? subject : undefined,
  }
}

/** When a token was last used. */
export function readUsedMark({ name, value }: Mark): { readonly token: string; readonly at: number } {
  if (isJsonObject(value)) return { token: String(value['token']), at: Number(value['at']) }
  return { token: name.slice(usedPrefix.length), at: Number(value) }
}

const maxNameBytes = 256

/** The token as part of a mark's name, whose length a log limits: a long one by its hash. */
export function toMarkName(token: string): string {
  if (Buffer.byteLength(token) <= maxNameBytes && !token.startsWith('sha256 ')) return token
  return `sha256 ${createHash('sha256').update(token).digest('hex')}`
}
