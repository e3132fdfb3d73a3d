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
import type { PacedFrame } from './pacing/pacer.ts'

/** What tells a reader who joins a session that is under way. */
export interface Introduction {
  readonly state: SessionState
  readonly encoder: Encoder<unknown>
  /** So many of the open questions were told before, and the state with them; undefined when nothing was. */
  readonly told: number | undefined
  tailor(frame: JsonObject): JsonObject
}

/** Where the session stands, and the questions that are open (AAEP §8 and its SSE binding). */
export function introduce({ state, encoder, told, tailor }: Introduction): readonly PacedFrame[] {
  if (state.seq < 0 || state.end !== undefined) return []
  const open = tableValues(state.questions).filter(({ closed }) => closed === undefined)
  const events: readonly SluiceEvent[] = [
    { kind: 'state-change', to: state.status },
    ...open.map(({ opened }) => opened),
  ]
  return events.slice(told === undefined ? 0 : told + 1).flatMap((event, index) => {
    const count = (told === undefined ? 0 : told + 1) + index
    const value = encodeAlone(state, encoder, event)
    if (value === undefined) return []
    const id = joiningId(state.id, state.seq, count)
    const data = JSON.stringify(tailor({ ...value, event_id: id }))
    return [{ id, data, cursor: { seq: state.seq }, isFree: value['urgency'] === 'critical' }]
  })
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
