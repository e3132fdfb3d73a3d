import type { Meta, SessionEnd, SluiceEvent, TextDelta, TextEnd, TextReset, ToolResult } from './events.ts'
import { fold } from './fold.ts'
import { omitUndefined } from './omit-undefined.ts'
import { freshCall } from './open-calls.ts'
import type { SessionState } from './session-state.ts'
import { hasSoundIds, withSoundIds } from './sound-ids.ts'
import { tableGet } from './table.ts'

/** Events in the order that every encoder may rely on, and the state after them. */
export interface Settled {
  readonly state: SessionState
  readonly events: readonly SluiceEvent[]
}

/**
 * Brings the events of one entry into the session's order (docs/protocol.md, "What always holds"): one start,
 * one end and nothing after it; each take of a text opened once and ended once; each call and each question
 * opened before it is closed, and closed once. Adds missing events, marked `implied`, and drops events that
 * no longer have a place.
 */
export function settle(state: SessionState, events: readonly SluiceEvent[]): Settled {
  const only = events.length === 1 ? events[0] : undefined
  if (only !== undefined && isInPlace(state, only)) return { state: fold(state, only), events }
  const settling: Settling = { state, events: [] }
  for (const event of events) {
    if (settling.state.end !== undefined) break
    if (!settling.state.started && event.kind !== 'session-start')
      add(settling, { kind: 'session-start', meta: impliedBy(event) })
    place(settling, withSoundIds(event))
  }
  return settling
}

/** Whether settle() would return the events of an entry as they are. Cheap for another piece of an open text. */
export function isSettled(state: SessionState, events: readonly SluiceEvent[]): boolean {
  const only = events.length === 1 ? events[0] : undefined
  if (only !== undefined && isInPlace(state, only)) return true
  const settled = settle(state, events).events
  return (
    settled.length === events.length &&
    settled.every((event, index) => event === events[index] || isSameEvent(event, events[index]))
  )
}

function isSameEvent(a: SluiceEvent, b: SluiceEvent | undefined): boolean {
  if (b === undefined || a.kind !== b.kind) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const key of keys) {
    const left = a[key as keyof SluiceEvent] as unknown // only compared
    const right = b[key as keyof SluiceEvent] as unknown
    if (left !== right) return false
  }
  return true
}

/** The events that have their place so far, and the state after them. */
interface Settling {
  state: SessionState
  readonly events: SluiceEvent[]
}

function add(settling: Settling, event: SluiceEvent): void {
  settling.events.push(event)
  settling.state = fold(settling.state, event)
}

/** The hot path: one delta of an open text, or an event that no ordering rule concerns. */
function isInPlace(state: SessionState, event: SluiceEvent): boolean {
  if (!state.started || state.end !== undefined) return false
  switch (event.kind) {
    case 'text-delta': {
      const output = tableGet(state.outputs, event.output)
      return (
        output?.open === true &&
        output.held === undefined &&
        output.take === event.take &&
        output.length === event.position &&
        output.channel === event.channel &&
        event.held === undefined &&
        event.text.isWellFormed()
      )
    }
    case 'part-add':
      return hasSoundIds(event)
    case 'state-change':
    case 'progress':
    case 'message':
    case 'sources':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return true
    case 'session-start':
    case 'session-end':
    case 'text-end':
    case 'text-reset':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-result':
    case 'question-open':
    case 'question-close':
      return false
  }
}

function place(settling: Settling, event: SluiceEvent): void {
  const { state } = settling
  switch (event.kind) {
    case 'session-start':
      if (!state.started) add(settling, event)
      return
    case 'session-end':
      closeAll(settling, event)
      add(settling, event)
      return
    case 'text-delta':
      placeDelta(settling, event)
      return
    case 'text-end':
      placeTextEnd(settling, event)
      return
    case 'text-reset':
      placeReset(settling, event)
      return
    case 'tool-call': {
      const call = tableGet(state.calls, event.call)
      if (call === undefined) add(settling, event)
      else if (call.status !== undefined) add(settling, { ...event, call: freshCall(state, event.call) })
      return
    }
    case 'tool-call-delta': {
      const call = openCallOf(state, event.call)
      if (isOpenCall(state, call)) add(settling, call === event.call ? event : { ...event, call })
      return
    }
    case 'tool-result':
      placeResult(settling, event)
      return
    case 'question-open':
      if (tableGet(state.questions, event.token) === undefined) add(settling, event)
      return
    case 'question-close': {
      const question = tableGet(state.questions, event.token)
      if (question !== undefined && question.closed === undefined) add(settling, event)
      return
    }
    case 'state-change':
    case 'progress':
    case 'message':
    case 'part-add':
    case 'sources':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      add(settling, event)
      return
  }
  event satisfies never
}

function placeDelta(settling: Settling, event: TextDelta): void {
  const { state } = settling
  const known = tableGet(state.outputs, event.output)
  const isOther = known !== undefined && known.channel !== event.channel
  // An output has one channel: reasoning under the same id becomes a separate output.
  const output = isOther ? `${event.output}.${event.channel}` : event.output
  const before = isOther ? tableGet(state.outputs, output) : known
  if (before !== undefined && before.take >= 0 && !before.open) {
    const meta = impliedBy(event)
    add(settling, { kind: 'text-reset', output, take: before.take + 1, channel: event.channel, meta })
  }
  const open = tableGet(settling.state.outputs, output)
  const { held, joins, ...rest } = event
  const isJoined = joins === true || open?.held !== undefined
  const joined = (joins === true ? '' : (open?.held ?? '')) + event.text + (held ?? '')
  const last = joined.charCodeAt(joined.length - 1)
  const waits = last >= 0xd800 && last <= 0xdbff
  add(settling, {
    ...rest,
    output,
    text: (waits ? joined.slice(0, -1) : joined).toWellFormed(),
    take: open === undefined || open.take < 0 ? firstTake(state) : open.take,
    position: open?.length ?? 0,
    ...(isJoined ? { joins: true as const } : {}),
    ...(waits ? { held: joined.slice(-1) } : {}),
  })
}

function placeTextEnd(settling: Settling, event: TextEnd): void {
  const { state } = settling
  const output = tableGet(state.outputs, event.output)
  if (output === undefined || output.take < 0) {
    const begun = { kind: 'text-delta', output: event.output, take: firstTake(state), text: '' } as const
    add(settling, { ...begun, position: 0, channel: 'answer', meta: impliedBy(event) })
  } else if (!output.open) return
  flushHeld(settling, event, event.output)
  add(settling, { ...event, take: tableGet(settling.state.outputs, event.output)?.take ?? 0 })
}

function placeReset(settling: Settling, event: TextReset): void {
  const { state } = settling
  const output = tableGet(state.outputs, event.output)
  if (output?.open === true) endOutput(settling, event, { output: event.output, interrupted: true })
  add(settling, {
    ...event,
    take: output === undefined || output.take < 0 ? firstTake(state) : output.take + 1,
    channel: output?.channel ?? event.channel,
  })
}

function placeResult(settling: Settling, event: ToolResult): void {
  const { state } = settling
  const call = openCallOf(state, event.call)
  const known = tableGet(state.calls, call)
  const tool = known?.tool ?? tableGet(state.calls, event.call)?.tool ?? event.tool
  if (known === undefined) add(settling, { kind: 'tool-call', call, tool, meta: impliedBy(event) })
  add(settling, call === event.call && tool === event.tool ? event : { ...event, call, tool })
}

/** The first take of an output without text: later than any take that the state has forgotten. */
function firstTake({ history }: SessionState): number {
  return history.forgottenTake + 1
}

function closeAll(settling: Settling, event: SessionEnd): void {
  const { state } = settling
  const meta = impliedBy(event)
  const { outputs, calls, questions } = state.open
  for (const token of questions) add(settling, { kind: 'question-close', token, how: 'cancelled', meta })
  for (const call of calls) {
    const tool = tableGet(state.calls, call)?.tool ?? ''
    add(settling, { kind: 'tool-result', call, tool, status: 'timeout', meta })
  }
  const interrupted = event.outcome === 'completed' ? undefined : true
  for (const output of outputs) endOutput(settling, event, { output, interrupted })
}

function endOutput(
  settling: Settling,
  cause: SluiceEvent,
  { output, interrupted }: { readonly output: string; readonly interrupted: true | undefined },
): void {
  flushHeld(settling, cause, output)
  const take = tableGet(settling.state.outputs, output)?.take ?? 0
  add(settling, omitUndefined({ kind: 'text-end', output, take, interrupted, meta: impliedBy(cause) }))
}

/** A high surrogate whose other half never came becomes U+FFFD. */
function flushHeld(settling: Settling, cause: SluiceEvent, output: string): void {
  const known = tableGet(settling.state.outputs, output)
  if (known?.held === undefined) return
  const { take, channel, length: position } = known
  const meta = impliedBy(cause)
  add(settling, { kind: 'text-delta', output, take, text: '\ufffd', position, channel, meta, joins: true })
}

/** An implied event takes the time and the agent of the event that implies it. */
function impliedBy(cause: SluiceEvent): Meta {
  const { at, agent } = cause.meta ?? {}
  return omitUndefined({ at, agent, implied: true })
}

function isOpenCall(state: SessionState, id: string): boolean {
  const call = tableGet(state.calls, id)
  return call !== undefined && call.status === undefined
}

/** The call that an id means: its own, or the earliest later use of it that is not finished. */
function openCallOf(state: SessionState, id: string): string {
  const call = tableGet(state.calls, id)
  if (call !== undefined && call.status === undefined) return id
  const later = state.open.calls.find((open) => isLaterUse(open, id))
  if (later !== undefined) return later
  return call === undefined ? id : freshCall(state, id)
}

function isLaterUse(call: string, id: string): boolean {
  return call.length > id.length + 1 && call.startsWith(id) && /^\.\d+$/.test(call.slice(id.length))
}
