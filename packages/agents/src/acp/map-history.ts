import type { JsonObject, SluiceEvent } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { mapUpdate } from './map-update.ts'
import type { AcpState } from './state.ts'

const maxHeld = 4096

/**
 * Handles an update of the turn, or of the history of a loaded session. The protocol requires the whole
 * history before the response to `session/load`. Gemini CLI responds first and continues its history during
 * our prompt, up to `available_commands_update`. No agent echoes our own prompt, so a user message shows that
 * history is still arriving: it and all later updates are held.
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

/** Maps the held updates: a question, or the end of the turn, shows that they belong to the turn. */
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
