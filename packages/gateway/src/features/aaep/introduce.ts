import {
  type Encoder,
  type Entry,
  isJsonObject,
  type JsonObject,
  type SessionState,
  type SluiceEvent,
  tablePick,
} from '@sluice/protocol'
import { joiningId } from './event-id.ts'
import { passesFilters } from './negotiate-filters.ts'
import type { PacedFrame } from './pacing/paced-frame.ts'
import type { EventFilters } from './terms.ts'

/** What is needed to introduce a running session to a reader that joins it. */
export interface Introduction {
  readonly state: SessionState
  readonly encoder: Encoder<unknown>
  /** How many of the introducing events were already sent. */
  readonly sent: number
  readonly filters: EventFilters
  tailor(frame: JsonObject): JsonObject
}

/** Frames for the current activity and the open questions of a session (AAEP §8 and its SSE binding). */
export function introduce({ state, encoder, sent, filters, tailor }: Introduction): readonly PacedFrame[] {
  if (state.seq < 0 || state.end !== undefined) return []
  const open = tablePick(state.questions, state.open.questions)
  const events: readonly SluiceEvent[] = [
    { kind: 'state-change', to: activityOf(state, { isAsking: open.length > 0 }) },
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

/** The agent's reported state or, since many dialects report none, the kind of its unfinished work. */
function activityOf(
  { status, open, calls, outputs }: SessionState,
  { isAsking }: { readonly isAsking: boolean },
): string {
  if (status !== 'idle') return status
  if (isAsking) return 'awaiting_input'
  if (open.calls.length > 0) return 'calling_tool'
  if (open.outputs.length > 0) return 'writing_output'
  return calls.next > 0 || outputs.next > 0 ? 'working' : 'idle'
}

/** One event, as the encoder writes it for a session in this state. */
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
