import type { JsonObject, SluiceEvent } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { mapUpdate } from './map-update.ts'
import type { AcpState } from './state.ts'

const maxHeld = 4096

/**
 * An update of the turn, or of the history of a session that was loaded. The protocol wants the whole history before
 * the answer to `session/load`. Gemini CLI answers first: its history goes on beside our prompt, up to the commands
 * that it has. A message of the user shows that it does, since our own is told by nobody; what follows is held.
 */
export function takeUpdate(state: AcpState, update: JsonObject): Mapped<AcpState> {
  const type = update['sessionUpdate']
  if (!state.isLoaded) return mapUpdate(state, update)
  if (type === 'available_commands_update')
    return { state: { ...state, isLoaded: false, held: undefined }, events: [] }
  const { held } = state
  if (held === undefined && type !== 'user_message_chunk') return mapUpdate(state, update)
  return { state: { ...state, held: [...(held ?? []), update].slice(0, maxHeld) }, events: [] }
}

/** The turn goes on, or is over: what was held belongs to it. */
export function releaseHeld(before: AcpState): Mapped<AcpState> {
  const events: SluiceEvent[] = []
  let state: AcpState = { ...before, held: undefined }
  for (const update of before.held ?? []) {
    const mapped = mapUpdate(state, update)
    state = mapped.state
    events.push(...mapped.events)
  }
  return { state, events }
}
