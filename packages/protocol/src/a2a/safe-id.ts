import { hashHex } from '../session-id.ts'

/** An id without lone surrogates, which not every client can read; different ids stay different. */
export function safeId(id: string): string {
  return id.isWellFormed() ? id : `${id.toWellFormed()}.${hashHex(JSON.stringify(id), 16)}`
}
