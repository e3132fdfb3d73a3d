import type { Decoded } from '../../dialect.ts'
import type { AgentIdentity, Meta, SluiceEvent } from '../../events.ts'
import type { Finding } from '../../finding.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import type { OpenCall } from '../../open-calls.ts'
import type { SessionState } from '../../session-state.ts'
import { type Kept, toExt } from './kept.ts'
import type { Pieces } from './pieces.ts'
import type { WireEvent } from './read-frame.ts'

/** What the next frame needs of the frames before it. */
export interface AgentEventStream {
  /** The agent and the channel of the last frame; those of the next one are usually the same. */
  readonly meta?: { readonly agent: AgentIdentity; readonly channel?: string }
  readonly calls: readonly OpenCall[]
  /** A question that is arriving in several frames. */
  readonly pieces?: Pieces
}

/** One frame while it is being decoded. */
export interface EventReading {
  /** The state with the agent and the channel of the frame. */
  readonly state: AgentEventStream
  readonly session: SessionState
  readonly event: WireEvent
}

/** What a decoder of one kind returns, before the checks of the frame are added. */
export type Understood = Pick<Decoded<AgentEventStream>, 'state' | 'events' | 'findings' | 'exact'>

export function understood(state: AgentEventStream, ...events: readonly SluiceEvent[]): Understood {
  return { state, events, findings: noFindings, exact: true }
}

const noFindings: readonly Finding[] = []

/** The state with the agent and the channel of `event`. */
export function withMeta(state: AgentEventStream, event: WireEvent): AgentEventStream {
  const { meta } = state
  const { agent_kind: kind, channel } = event
  if (meta !== undefined && meta.agent.kind === kind && meta.channel === channel) return state
  const agent = meta?.agent.kind === kind ? meta.agent : { kind }
  const next = channel === undefined ? { agent } : { agent, channel }
  const { calls, pieces } = state
  // Written out, as in metaOf().
  return pieces === undefined ? { calls, meta: next } : { calls, meta: next, pieces }
}

/** The meta of an event from the frame given to `withMeta()`. */
export function metaOf({ meta }: AgentEventStream, kept: Kept | undefined): Meta {
  if (kept === undefined) return meta ?? {}
  const ext = toExt(kept)
  if (meta === undefined) return { ext }
  // Written out: a spread here took a tenth of the whole intake.
  const { agent, channel } = meta
  return channel === undefined ? { agent, ext } : { agent, channel, ext }
}

export function sluiceOf(data: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(data) ? data['sluice'] : undefined
}
