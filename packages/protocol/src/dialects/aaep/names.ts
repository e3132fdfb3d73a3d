import { hashHex } from '../../session-id.ts'
import {
  contentTypePattern,
  errorCodePattern,
  idPattern,
  languagePattern,
  maxTimeoutSeconds,
  toolPattern,
} from './wire/vocabulary.ts'

export const aaepId = 'aaep'

const outputId = new RegExp(idPattern('out'))
const callId = new RegExp(idPattern('call'))
const tokenId = new RegExp(idPattern('rpl'))
const eventId = new RegExp(idPattern('evt'))
const tool = new RegExp(toolPattern)
const language = new RegExp(languagePattern)
const contentType = new RegExp(contentTypePattern)
const errorCode = new RegExp(errorCodePattern)

/** The output of a session whose producer names none. */
export const mainOutput = 'main'

const hashLength = 24

/** An id of another dialect as text that survives the wire: well-formed, and still unlike any other. */
export function toName(id: string): string {
  return id.isWellFormed() ? id : `${id.toWellFormed()} ${hashHex(JSON.stringify(id), 8)}`
}

const derivedName = /^(?:out|call|rpl)_sluice[0-9a-f]{24}$/

/**
 * True for a name that Sluice makes. A producer's own name of this form is replaced, so that no two things
 * share a name.
 */
export function isDerivedName(name: string): boolean {
  return derivedName.test(name)
}

function derive(prefix: 'out' | 'call' | 'rpl', id: string): string {
  return `${prefix}_sluice${hashHex(toName(id), hashLength)}`
}

/**
 * The output's id on the wire; undefined for the output that needs none. A later take is a separate output.
 */
export function toOutputId(output: string, take: number): string | undefined {
  if (take > 0) return derive('out', `${take}\0${toName(output)}`)
  if (output === mainOutput) return undefined
  return outputId.test(output) && !isDerivedName(output) ? output : derive('out', output)
}

/** The prefix of every event id that Sluice mints for a session. */
export function mintOf(session: string): string {
  return `evt_${hashHex(session, 16)}`
}

const mintedId = /^evt_[0-9a-f]{16}c\d/

/** True for an event id that Sluice minted because the event had none that AAEP allows. */
export function isMintedId(id: string): boolean {
  return mintedId.test(id)
}

const unnamedCall = /^aaep:call:\d{1,15}$/

/** The id of a call to which its producer gave none; `n` calls came before it. */
export function toUnnamedCall(n: number): string {
  return `aaep:call:${n}`
}

/** The call's id on the wire; undefined for a call without one. */
export function toCallId(call: string): string | undefined {
  if (unnamedCall.test(call)) return undefined
  return callId.test(call) && !isDerivedName(call) ? call : derive('call', call)
}

export function toReplyToken(token: string): string {
  return tokenId.test(token) && !isDerivedName(token) ? token : derive('rpl', token)
}

/** A tool's name in AAEP's alphabet, as readable as possible. */
export function toToolName(name: string): string {
  if (tool.test(name)) return name
  const mapped = name.slice(0, 256).replace(/[^A-Za-z0-9_.-]/g, '_')
  return (/^[A-Za-z_]/.test(mapped) ? mapped : `_${mapped}`).slice(0, 256)
}

export function isEventId(id: string): boolean {
  return eventId.test(id)
}

export function isLanguage(tag: string): boolean {
  return language.test(tag)
}

/** A media type without its parameters; undefined if it is not one. */
export function toContentType(type: string): string | undefined {
  const bare = type.split(';', 1)[0]?.trim() ?? ''
  return contentType.test(bare) ? bare : undefined
}

/** An error code in AAEP's alphabet; undefined if nothing of it remains. */
export function toErrorCode(code: string): string | undefined {
  if (errorCode.test(code)) return code
  const mapped = code
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, '_')
    .replace(/^[^A-Z]+/, '')
    .slice(0, 64)
  return errorCode.test(mapped) ? mapped : undefined
}

/** A timeout in whole seconds, at most the time that a question may wait. */
export function toTimeoutSeconds(timeoutMs: number): number {
  return Math.min(maxTimeoutSeconds, Math.max(1, Math.ceil(timeoutMs / 1000)))
}

const maxState = 64

/** A state's name, cut to AAEP's length. */
export function toStateName(state: string): string {
  if (state.length > 0 && state.length <= maxState && state.isWellFormed()) return state
  if (state === '') return 'unknown'
  return Array.from(state.toWellFormed()).slice(0, maxState).join('')
}
