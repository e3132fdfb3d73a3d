import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

const sessionIdPattern = /^sess_[A-Za-z0-9]{1,64}$/

/** True for an id that Sluice uses unchanged. */
export function isSessionId(id: string): boolean {
  return sessionIdPattern.test(id)
}

/**
 * The id under which Sluice keeps a session that its producer calls `foreign`. The same pair always gives the
 * same id.
 */
export function toSessionId(agent: string, foreign: string): string {
  if (isSessionId(foreign)) return foreign
  return `sess_${hashHex(`${agent}\0${foreign}`, 32)}`
}

/** The first `length` hex digits of the SHA-256 of a text. */
export function hashHex(text: string, length: number): string {
  return bytesToHex(sha256(utf8ToBytes(text.toWellFormed()))).slice(0, length)
}
