import type { Meta } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import type { OpenCall } from '../../open-calls.ts'
import { boundData, exceedsUtf8, maxChannelBytes, maxMessageBytes, truncateUtf8 } from './bounds.ts'
import type { Kept } from './kept.ts'

export type OutValue = JsonObject

export interface Surroundings {
  readonly agentKind: string
  readonly handle?: string
  readonly calls: readonly OpenCall[]
}

/** A frame of this contract as it came in, within the bounds. */
export function repeat(agentKind: string, kind: string, meta: Meta | undefined, kept: Kept): OutValue {
  const { message, data } = kept
  return {
    agent_kind: agentKind,
    kind,
    ...channelOf(meta?.channel),
    ...(message === undefined ? {} : { message: truncateUtf8(message, maxMessageBytes) }),
    ...(data === undefined ? {} : { data: boundData(data) }),
    ...kept.fields,
  }
}

/** A channel over its bound is left out, never cut. */
export function channelOf(channel: string | undefined, usual?: string): { readonly channel?: string } {
  if (channel !== undefined && !exceedsUtf8(channel, maxChannelBytes)) return { channel }
  return usual === undefined ? {} : { channel: usual }
}
