import type { Meta } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { OpenCall } from '../../open-calls.ts'
import { boundData, exceedsUtf8, maxChannelBytes, maxMessageBytes, truncateUtf8 } from './bounds.ts'
import type { Kept } from './kept.ts'

export type OutValue = JsonObject

/** What the frames of an event depend on besides the event. */
export interface Surroundings {
  readonly view: {
    readonly agentKind: string
    /** The agent's own session. */
    readonly handle?: string
    readonly calls: readonly OpenCall[]
  }
  /** The event came in a frame of this dialect. */
  readonly isOwn: boolean
  /** What the event kept of that frame. */
  readonly kept: Kept
}

/** A frame of this dialect as it came in, within the bounds. */
export function repeat(
  agentKind: string,
  meta: Meta | undefined,
  kept: Kept & { readonly kind: string },
): OutValue {
  const { kind, message, data } = kept
  return {
    agent_kind: agentKind,
    kind,
    ...channelOf(meta?.channel),
    ...omitUndefined({
      message: message === undefined ? undefined : truncateUtf8(message, maxMessageBytes),
      data: data === undefined ? undefined : boundData(data),
    }),
    ...kept.fields,
  }
}

/** A channel over its bound is omitted, never cut. */
export function channelOf(channel: string | undefined, usual?: string): { readonly channel?: string } {
  if (channel !== undefined && !exceedsUtf8(channel, maxChannelBytes)) return { channel }
  return omitUndefined({ channel: usual })
}
