import { fromCarried } from '../../carry.ts'
import type { Decoded, Decoder } from '../../dialect.ts'
import type { Notice, SluiceEvent } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import { joinFields } from '../../join-fields.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { isWellFormedJson } from '../../well-formed-json.ts'
import { decodeChunk, decodeFinal, decodeText } from './decode-text.ts'
import { decodeToolCall, decodeToolResult } from './decode-tool.ts'
import { type Kept, knownFields, metaOf, noneKept, readText, sluiceOf, withoutSluice } from './kept.ts'
import { streamEventRules } from './sequence.ts'
import type { Reading, StreamEventStream, Understood } from './stream.ts'
import { streamEventSchema } from './wire.ts'

export const checker = createChecker(streamEventSchema, 'StreamEvent contract, Structure')

export const streamEventDecoder: Decoder<StreamEventStream> = {
  initial: () => ({ calls: [] }),

  step(state, frame, session) {
    const { value } = frame
    // A lone surrogate can only come from an escape.
    const hasEscape = frame.text.includes('\\u')
    const chunk = hasEscape ? undefined : decodeChunk(value, session)
    if (chunk !== undefined) return { state, events: [chunk], findings: noFindings, exact: true }
    if (!checker.isExact(value)) return decodeBroken(state, value)
    const { type, data } = value as { readonly type: string; readonly data: JsonValue } // just checked
    const fields = unknownFields(value as JsonObject, knownFields) // just checked
    const kept: Kept = fields === undefined ? noneKept : { fields }
    const read = decodeType({ state, session, data, kept }, type)
    const exact = !hasEscape || isWellFormedJson(value)
    if (read === undefined) {
      const unknown: SluiceEvent = { kind: 'unknown', type, data, ...metaOf({ ...kept, type }) }
      return { state, events: [unknown], findings: noFindings, exact }
    }
    return {
      state: read.state,
      events: read.events,
      findings: read.findings ?? noFindings,
      exact: exact && read.exact !== false,
    }
  },
}

const noFindings: readonly Finding[] = []

/**
 * A frame with a broken envelope. One producer ends its streams with a `done` that lacks its data: that is
 * still an end.
 */
function decodeBroken(state: StreamEventStream, value: JsonValue): Decoded<StreamEventStream> {
  const findings = checker.findings(value)
  const type = isJsonObject(value) && typeof value['type'] === 'string' ? value['type'] : 'StreamEvent'
  const event: SluiceEvent = type === 'done' ? toDone(noneKept, null) : { kind: 'unknown', type, data: value }
  return { state, events: [event], findings, exact: false }
}

/** The types that have a meaning here; a frame of any other type becomes an `unknown` event. */
export const knownTypes: ReadonlySet<string> = new Set([
  'thinking',
  'understanding',
  'tool_call',
  'tool_result',
  'text',
  'answer',
  'answer_chunk',
  'final_answer',
  'sources',
  'log',
  'error',
  'done',
])

/** Undefined if `data` has none of the forms known for its type: the dialect leaves them open. */
function decodeType(reading: Reading, type: string): Understood | undefined {
  const { state, data, kept } = reading
  switch (type) {
    case 'answer_chunk':
    case 'text':
    case 'thinking':
      return understood(state, decodeText(reading, type))
    case 'answer':
    case 'final_answer':
      return understood(state, ...decodeFinal(reading, type))
    case 'tool_call':
      return decodeToolCall(reading)
    case 'tool_result':
      return decodeToolResult(reading)
    case 'log':
    case 'error':
      return decodeLog(reading, type)
    case 'sources':
      return Array.isArray(data)
        ? understood(state, { kind: 'sources', items: data, ...metaOf(kept) })
        : undefined
    case 'understanding':
      return understood(state, { kind: 'state-change', to: 'thinking', ...metaOf({ ...kept, type, data }) })
    case 'done':
      return understood(state, toDone(kept, data))
    default:
      return undefined
  }
}

function understood(
  state: StreamEventStream,
  ...events: readonly (SluiceEvent | undefined)[]
): Understood | undefined {
  const read = events.filter((event) => event !== undefined)
  return read.length === 0 ? undefined : { state, events: read }
}

function toDone(kept: Kept, data: JsonValue): SluiceEvent {
  return { kind: 'session-end', outcome: 'completed', ...metaOf({ ...kept, type: 'done', data }) }
}

/** A notice, or the event that it carries. */
function decodeLog({ state, data, kept }: Reading, type: 'log' | 'error'): Understood | undefined {
  const carried = fromCarried(sluiceOf(data))
  if (carried === undefined) return understood(state, decodeNotice(type, data, kept))
  if (isCarried(type, carried, data)) {
    const own = metaOf(joinFields(kept, { type, data }))
    return understood(state, joinFields(carried, own) as SluiceEvent) // the same event
  }
  const read = understood(state, decodeNotice(type, withoutSluice(data), kept))
  const findings = [breach(streamEventRules.carriedContradicts, '/data/sluice')]
  return read === undefined ? undefined : { ...read, findings }
}

/**
 * Whether a frame of this type may carry the event. A notice must say what the frame's own fields say. Any
 * other event has no fields there, and the message next to it is only a description. Texts, calls and results
 * have their own frames.
 */
function isCarried(type: 'log' | 'error', carried: SluiceEvent, data: JsonValue): boolean {
  if (carried.kind !== 'notice') return type === 'log' && !framedKinds.has(carried.kind)
  const said = decodeNotice(type, data, noneKept)
  return said === undefined || (said.level === carried.level && said.text === carried.text)
}

const framedKinds: ReadonlySet<string> = new Set(['text-delta', 'tool-call', 'tool-result'])

function decodeNotice(type: 'log' | 'error', data: JsonValue, kept: Kept): Notice | undefined {
  const usual = type === 'log' ? 'message' : 'error'
  const read = readText(data, type === 'log' ? ['message', 'text'] : ['error', 'message', 'detail'])
  if (read === undefined) return undefined
  const { level: written, ...others } = read.rest ?? {}
  const level = type === 'error' ? 'error' : levelOf(written)
  const rest = type === 'error' ? (read.rest ?? {}) : others
  const isUsual = type === 'log' ? level === written && level !== 'error' : true
  const more: Kept = {
    ...kept,
    ...(isUsual ? {} : { type, level: written ?? null }),
    ...(read.at === usual ? {} : { at: read.at }),
    ...(Object.keys(rest).length === 0 ? {} : { rest }),
  }
  return { kind: 'notice', level, text: read.text, ...metaOf(more) }
}

/** The nearest level; `info` if there is none. */
function levelOf(level: JsonValue | undefined): Notice['level'] {
  switch (typeof level === 'string' ? level.toLowerCase() : undefined) {
    case 'trace':
    case 'debug':
      return 'debug'
    case 'warn':
    case 'warning':
      return 'warning'
    case 'error':
    case 'critical':
    case 'fatal':
      return 'error'
    default:
      return 'info'
  }
}
