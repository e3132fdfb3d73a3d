import {
  type Encoder,
  type Entry,
  isJsonObject,
  type JsonObject,
  type SessionState,
  type SluiceEvent,
  tableValues,
} from '@sluice/protocol'
import { joiningId } from './event-id.ts'
import { passesFilters } from './negotiate-filters.ts'
import type { PacedFrame } from './pacing/paced-frame.ts'
import type { EventFilters } from './terms.ts'

/** What tells a reader who joins a session that is under way. */
export interface Introduction {
  readonly state: SessionState
  readonly encoder: Encoder<unknown>
  /** So many of its events were sent before. */
  readonly sent: number
  readonly filters: EventFilters
  tailor(frame: JsonObject): JsonObject
}

/** Where the session stands, and the questions that are open (AAEP §8 and its SSE binding). */
export function introduce({ state, encoder, sent, filters, tailor }: Introduction): readonly PacedFrame[] {
  if (state.seq < 0 || state.end !== undefined) return []
  const open = tableValues(state.questions).filter(({ closed }) => closed === undefined)
  const events: readonly SluiceEvent[] = [
    { kind: 'state-change', to: activityOf(state, open.length > 0) },
    ...open.map(({ opened }) => opened),
  ]
  const { seq } = state
  const frames: PacedFrame[] = []
  for (const [index, event] of events.entries()) {
    const value = index < sent ? undefined : encodeAlone(state, encoder, event)
    if (value === undefined) continue
    const isFree = value['urgency'] === 'critical'
    if (!isFree && !passesFilters(String(value['type']), filters)) continue
    const id = joiningId(state.id, seq, index)
    const data = JSON.stringify(tailor({ ...value, event_id: id }))
    frames.push({ id, data, cursor: { seq, introduced: index + 1 }, isFree })
  }
  return frames.map((frame, index) => (index < frames.length - 1 ? frame : { ...frame, cursor: { seq } }))
}

/** What the agent is doing: what it told, or, since many contracts tell no state, what it has under way. */
function activityOf({ status, calls, outputs }: SessionState, isAsking: boolean): string {
  if (status !== 'idle') return status
  if (isAsking) return 'awaiting_input'
  if (tableValues(calls).some((call) => call.status === undefined)) return 'calling_tool'
  if (tableValues(outputs).some(({ open }) => open)) return 'writing_output'
  return calls.size > 0 || outputs.size > 0 ? 'working' : 'idle'
}

/** One event as the encoder says it of a session that stands so. */
function encodeAlone(
  state: SessionState,
  encoder: Encoder<unknown>,
  event: SluiceEvent,
): JsonObject | undefined {
  const entry: Entry = {
    seq: state.seq,
    at: state.eventAt,
    source: { dialect: 'sluice' },
    direction: 'system',
    clean: false,
    events: [event],
    diagnostics: [],
  }
  const entered = encoder.enter({ ...state, uniform: null }, { seq: state.seq })
  const [frame] = encoder.step(entered.state, entry, { from: 0 }).frames
  const value: unknown = frame === undefined ? undefined : JSON.parse(frame.data)
  return isJsonObject(value) ? value : undefined
}
