import { fromCarried } from '../../carry.ts'
import { describe } from '../../describe.ts'
import type { Decoder } from '../../dialect.ts'
import type { SluiceEvent } from '../../events.ts'
import { breach } from '../../finding.ts'
import { joinFields } from '../../join-fields.ts'
import { maxMessageBytes, truncateUtf8 } from './bounds.ts'
import { decodeCompletion } from './decode-completion.ts'
import { decodeTextOutput } from './decode-text.ts'
import { decodeTool } from './decode-tool.ts'
import { bareTool, checkFacet, readHandle, readTool } from './facets.ts'
import { extOf, withoutSluice } from './kept.ts'
import { joinPiece, longQuestion } from './pieces.ts'
import { readChunk } from './read-chunk.ts'
import { readFrame, type WireEvent } from './read-frame.ts'
import { agentEventRules } from './sequence.ts'
import {
  type AgentEventStream,
  type EventReading,
  metaOf,
  sluiceOf,
  type Understood,
  understood,
  withMeta,
} from './stream.ts'

export const agentEventDecoder: Decoder<AgentEventStream> = {
  initial: () => ({ calls: [] }),

  step(state, frame, session) {
    const chunk = readChunk(frame)
    if (chunk !== undefined) {
      const { data } = chunk
      const next = withMeta(state, chunk)
      const meta = metaOf(next, data === undefined ? undefined : { data })
      return understood(next, decodeTextOutput(chunk, meta, session))
    }
    const reading = readFrame(frame)
    if (reading.form === 'broken') {
      const { type, findings } = reading
      return { state, events: [{ kind: 'unknown', type, data: frame.value }], findings, exact: false }
    }
    if (reading.form === 'completion') {
      const { value, completion, findings, exact } = reading
      const decoded = decodeCompletion(value, completion, session)
      return { state, events: decoded.events, findings: [...findings, ...decoded.findings], exact }
    }
    const { event, type, findings, exact } = reading
    const next = withMeta(state, event)
    const facet = checkFacet(event.data)
    const sound = facet.findings.length === 0 ? event : withoutData(event)
    const own = { state: next, session, event: sound }
    const decoded = isTool(event)
      ? decodeTool(own, event.data === undefined ? bareTool : readTool(event.data))
      : decodeEvent(own, type)
    if (findings.length + facet.findings.length === 0 && exact && facet.exact) return decoded
    return {
      state: decoded.state,
      events: decoded.events,
      findings: [...findings, ...facet.findings, ...decoded.findings],
      exact: exact && facet.exact && decoded.exact,
    }
  },
}

/** `type` is the kind as the sender spelled it, if it is not one of the six. */
function decodeEvent({ state, session, event }: EventReading, type: string | undefined): Understood {
  if (event.kind === 'TextOutput')
    return understood(state, decodeTextOutput(event, metaOf(state, extOf(event)), session))
  if (event.kind !== 'Unknown') return decodeStatus(state, event)
  if (type !== undefined) {
    const { agent_kind: _agentKind, kind: _kind, channel: _channel, ...data } = event
    return understood(state, { kind: 'unknown', type, data, meta: metaOf(state, undefined) })
  }
  const carried = restore(state, event)
  if (carried !== undefined) return understood(state, carried)
  const own = withoutContradiction(event)
  const meta = metaOf(state, extOf(own, 'data'))
  return judged(
    event,
    own,
    understood(state, { kind: 'unknown', type: 'Unknown', data: own.data ?? null, meta }),
  )
}

function decodeStatus(state: AgentEventStream, event: WireEvent): Understood {
  const sluice = sluiceOf(event.data)
  const piece = joinPiece(state.pieces, sluice)
  if (piece !== undefined) {
    const { pieces: _pieces, ...rest } = state
    if (piece.pieces !== undefined && event.message === longQuestion)
      return understood({ ...rest, pieces: piece.pieces })
    if (piece.event !== undefined) return understood(rest, { ...piece.event, meta: metaOf(state, undefined) })
  }
  const carried = restore(state, event)
  if (carried !== undefined) return understood(state, carried)
  const own = piece === undefined ? withoutContradiction(event) : withoutSluice(event)
  return judged(event, own, understood(state, toNotice(state, own)))
}

function toNotice(state: AgentEventStream, event: WireEvent): SluiceEvent {
  const ext = extOf(event)
  const kept = event.message === '' ? { ...ext, message: '' } : ext
  const level = event.kind === 'Error' ? 'error' : 'info'
  const text = event.message ?? event.text ?? ''
  const meta = metaOf(state, kept)
  const session = readHandle(event.data)
  if (session === undefined) return { kind: 'notice', level, text, meta }
  const told = { ...meta, agent: { ...meta.agent, session } }
  return { kind: 'notice', level, text, code: 'agent_session', meta: told }
}

function isTool({ kind }: WireEvent): boolean {
  return kind === 'ToolCall' || kind === 'ToolResult'
}

/** A broken facet is not repeated: what it says is read, and encoded again. */
function withoutData({ data: _data, ...event }: WireEvent): WireEvent {
  return event as WireEvent // data is optional
}

/** The event that `data.sluice` carries, if it belongs in a frame of this kind and agrees with it. */
function restore(state: AgentEventStream, event: WireEvent): SluiceEvent | undefined {
  const carried = fromCarried(sluiceOf(event.data))
  if (carried === undefined || carrierOf(carried) !== event.kind || !agrees(event, carried)) return undefined
  const { kind, message } = event
  const ext = joinFields(extOf(event) ?? {}, message === undefined ? { kind } : { kind, message })
  return { ...carried, meta: metaOf(state, ext) }
}

/**
 * The message must be the notice's own. For any other event it is only a description, which a producer may
 * word freely.
 */
function agrees({ message }: WireEvent, carried: SluiceEvent): boolean {
  if (carried.kind !== 'notice' || message === undefined) return true
  return message === truncateUtf8(describe(carried), maxMessageBytes)
}

/** The frame without a carried event that was rejected. */
function withoutContradiction(event: WireEvent): WireEvent {
  return fromCarried(sluiceOf(event.data)) === undefined ? event : withoutSluice(event)
}

/** `own` is the part of the frame that was read: less than the frame if the carried event contradicts it. */
function judged(event: WireEvent, own: WireEvent, decoded: Understood): Understood {
  if (own === event) return decoded
  return { ...decoded, findings: [breach(agentEventRules.carriedContradicts, '/data/sluice')] }
}

/** The kind of frame that carries an event; undefined for events that have their own frames. */
function carrierOf(event: SluiceEvent): WireEvent['kind'] | undefined {
  switch (event.kind) {
    case 'text-delta':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-result':
    case 'session-end':
      return undefined
    case 'notice':
      return event.level === 'error' ? 'Error' : 'Status'
    case 'unknown':
      return 'Unknown'
    case 'session-start':
    case 'state-change':
    case 'progress':
    case 'message':
    case 'text-end':
    case 'text-reset':
    case 'part-add':
    case 'sources':
    case 'question-open':
    case 'question-close':
    case 'handoff':
    case 'usage':
    case 'state-data':
      return 'Status'
  }
}
