import type { Meta, SessionEnd, SluiceEvent, TextChannel, TextDelta } from './events.ts'
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
  const settled: SluiceEvent[] = []
  let next = state
  const add = (event: SluiceEvent): void => {
    settled.push(event)
    next = fold(next, event)
  }
  for (const event of events) {
    if (next.end !== undefined) break
    if (!next.started && event.kind !== 'session-start')
      add({ kind: 'session-start', meta: impliedBy(event) })
    place(next, withSoundIds(event), add, () => next)
  }
  return { state: next, events: settled }
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

type Add = (event: SluiceEvent) => void

function place(state: SessionState, event: SluiceEvent, add: Add, current: () => SessionState): void {
  switch (event.kind) {
    case 'session-start':
      if (!state.started) add(event)
      return
    case 'session-end':
      closeAll(state, event, add)
      add(event)
      return
    case 'text-delta':
      placeDelta(state, event, add, current)
      return
    case 'text-end': {
      const output = tableGet(state.outputs, event.output)
      if (output === undefined || output.take < 0)
        add(impliedDelta(event, event.output, firstTake(state), 'answer', ''))
      else if (!output.open) return
      flushHeld(current(), event, event.output, add)
      add({ ...event, take: tableGet(current().outputs, event.output)?.take ?? 0 })
      return
    }
    case 'text-reset': {
      const output = tableGet(state.outputs, event.output)
      if (output?.open === true) endOutput(state, event, event.output, true, add)
      add({
        ...event,
        take: output === undefined || output.take < 0 ? firstTake(state) : output.take + 1,
        channel: output?.channel ?? event.channel,
      })
      return
    }
    case 'tool-call': {
      const call = tableGet(state.calls, event.call)
      if (call === undefined) add(event)
      else if (call.status !== undefined) add({ ...event, call: freshCall(state, event.call) })
      return
    }
    case 'tool-call-delta': {
      const call = openCallOf(state, event.call)
      if (isOpenCall(state, call)) add(call === event.call ? event : { ...event, call })
      return
    }
    case 'tool-result': {
      const call = openCallOf(state, event.call)
      const known = tableGet(state.calls, call)
      const tool = known?.tool ?? tableGet(state.calls, event.call)?.tool ?? event.tool
      if (known === undefined) add({ kind: 'tool-call', call, tool, meta: impliedBy(event) })
      add(call === event.call && tool === event.tool ? event : { ...event, call, tool })
      return
    }
    case 'question-open':
      if (tableGet(state.questions, event.token) === undefined) add(event)
      return
    case 'question-close': {
      const question = tableGet(state.questions, event.token)
      if (question !== undefined && question.closed === undefined) add(event)
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
      add(event)
      return
  }
  event satisfies never
}

function placeDelta(state: SessionState, event: TextDelta, add: Add, current: () => SessionState): void {
  const known = tableGet(state.outputs, event.output)
  const isOther = known !== undefined && known.channel !== event.channel
  // An output has one channel: reasoning under the same id becomes a separate output.
  const output = isOther ? `${event.output}.${event.channel}` : event.output
  const before = isOther ? tableGet(state.outputs, output) : known
  if (before !== undefined && before.take >= 0 && !before.open)
    add({ kind: 'text-reset', output, take: before.take + 1, channel: event.channel, meta: impliedBy(event) })
  const open = tableGet(current().outputs, output)
  const { held, joins, ...rest } = event
  const isJoined = joins === true || open?.held !== undefined
  const joined = (joins === true ? '' : (open?.held ?? '')) + event.text + (held ?? '')
  const last = joined.charCodeAt(joined.length - 1)
  const waits = last >= 0xd800 && last <= 0xdbff
  add({
    ...rest,
    output,
    text: (waits ? joined.slice(0, -1) : joined).toWellFormed(),
    take: open === undefined || open.take < 0 ? firstTake(state) : open.take,
    position: open?.length ?? 0,
    ...(isJoined ? { joins: true as const } : {}),
    ...(waits ? { held: joined.slice(-1) } : {}),
  })
}

/** The first take of an output without text: later than any take that the state has forgotten. */
function firstTake({ history }: SessionState): number {
  return history.forgottenTake + 1
}

function closeAll(state: SessionState, event: SessionEnd, add: Add): void {
  const meta = impliedBy(event)
  const { outputs, calls, questions } = state.open
  for (const token of questions) add({ kind: 'question-close', token, how: 'cancelled', meta })
  for (const call of calls) {
    const tool = tableGet(state.calls, call)?.tool ?? ''
    add({ kind: 'tool-result', call, tool, status: 'timeout', meta })
  }
  for (const output of outputs) endOutput(state, event, output, event.outcome !== 'completed', add)
}

function endOutput(
  state: SessionState,
  cause: SluiceEvent,
  output: string,
  isInterrupted: boolean,
  add: Add,
): void {
  flushHeld(state, cause, output, add)
  const take = tableGet(state.outputs, output)?.take ?? 0
  const interrupted = isInterrupted ? { interrupted: true as const } : {}
  add({ kind: 'text-end', output, take, ...interrupted, meta: impliedBy(cause) })
}

/** A high surrogate whose other half never came becomes U+FFFD. */
function flushHeld(state: SessionState, cause: SluiceEvent, id: string, add: Add): void {
  const output = tableGet(state.outputs, id)
  if (output?.held === undefined) return
  const delta = impliedDelta(cause, id, output.take, output.channel, '\ufffd')
  add({ ...delta, position: output.length, joins: true })
}

function impliedDelta(
  cause: SluiceEvent,
  output: string,
  take: number,
  channel: TextChannel,
  text: string,
): TextDelta {
  return { kind: 'text-delta', output, take, text, position: 0, channel, meta: impliedBy(cause) }
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
