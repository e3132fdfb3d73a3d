import type { Meta, SessionEnd, SluiceEvent, TextChannel, TextDelta } from './events.ts'
import { fold, type Keep } from './fold.ts'
import type { CallState, SessionState } from './session-state.ts'
import { hasSoundIds, withSoundIds } from './sound-ids.ts'
import { tableGet, tableValues } from './table.ts'

/** Events in the order that every encoder may rely on, and the state after them. */
export interface Settled {
  readonly state: SessionState
  readonly events: readonly SluiceEvent[]
}

/**
 * Brings the events of one entry into the session's order (docs/protocol.md, "What always holds"): one start, one end
 * and nothing after it; each take of a text opened once and ended once; each call and each question opened before it
 * is closed, and closed once. What is missing is added and marked `implied`; what has no place any more is left out.
 */
export function settle(state: SessionState, events: readonly SluiceEvent[], keep: Keep = 'all'): Settled {
  const only = events.length === 1 ? events[0] : undefined
  if (only !== undefined && isInPlace(state, only)) return { state: fold(state, only, keep), events }
  const settled: SluiceEvent[] = []
  let next = state
  const add = (event: SluiceEvent): void => {
    settled.push(event)
    next = fold(next, event, keep)
  }
  for (const event of events) {
    if (next.end !== undefined) break
    if (!next.started && event.kind !== 'session-start')
      add({ kind: 'session-start', meta: impliedBy(event) })
    place(next, withSoundIds(event), add, () => next)
  }
  return { state: next, events: settled }
}

/** The hot path: one delta of an open text, or an event that no order concerns. */
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
    default:
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
      if (output === undefined || output.take < 0) add(impliedDelta(event, event.output, 0, 'answer', ''))
      else if (!output.open) return
      flushHeld(current(), event, event.output, add)
      add({ ...event, take: tableGet(current().outputs, event.output)?.take ?? 0 })
      return
    }
    case 'text-reset': {
      const output = tableGet(state.outputs, event.output)
      if (output?.open === true) endOutput(state, event, event.output, true, add)
      add({ ...event, take: (output?.take ?? -1) + 1, channel: output?.channel ?? event.channel })
      return
    }
    case 'tool-call': {
      const call = tableGet(state.calls, event.call)
      if (call === undefined) add(event)
      else if (call.status !== undefined) add({ ...event, call: laterCall(state, event.call, isUnused) })
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
    default:
      add(event)
  }
}

function placeDelta(state: SessionState, event: TextDelta, add: Add, current: () => SessionState): void {
  const known = tableGet(state.outputs, event.output)
  const isOther = known !== undefined && known.channel !== event.channel
  // An output has one channel: what thinks aloud under the same id is an output of its own.
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
    take: Math.max(0, open?.take ?? 0),
    position: open?.length ?? 0,
    ...(isJoined ? { joins: true as const } : {}),
    ...(waits ? { held: joined.slice(-1) } : {}),
  })
}

function closeAll(state: SessionState, event: SessionEnd, add: Add): void {
  const meta = impliedBy(event)
  for (const { opened, closed } of tableValues(state.questions))
    if (closed === undefined) add({ kind: 'question-close', token: opened.token, how: 'cancelled', meta })
  for (const { call, tool, status } of tableValues(state.calls))
    if (status === undefined) add({ kind: 'tool-result', call, tool, status: 'timeout', meta })
  for (const { output, open } of tableValues(state.outputs))
    if (open) endOutput(state, event, output, event.outcome !== 'completed', add)
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

/** A high surrogate whose other half never came is a broken character. */
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

/** An implied event happens when and by whom the event happened that implies it. */
function impliedBy(cause: SluiceEvent): Meta {
  const { at, agent } = cause.meta ?? {}
  return { ...(at === undefined ? {} : { at }), ...(agent === undefined ? {} : { agent }), implied: true }
}

function isOpenCall(state: SessionState, id: string): boolean {
  const call = tableGet(state.calls, id)
  return call !== undefined && call.status === undefined
}

/** The call that an id means: its own, or the later use of it that is not finished. */
function openCallOf(state: SessionState, id: string): string {
  return isUnfinished(tableGet(state.calls, id)) ? id : laterCall(state, id, isUnfinished)
}

const isUnused = (call: CallState | undefined): boolean => call === undefined
const isUnfinished = (call: CallState | undefined): boolean => call?.status === undefined

/** The next use of the id of a finished call: `id.2`, `id.3` … */
function laterCall(state: SessionState, id: string, fits: (call: CallState | undefined) => boolean): string {
  for (let n = 2; ; n++) {
    const later = `${id}.${n}`
    if (fits(tableGet(state.calls, later))) return later
  }
}
