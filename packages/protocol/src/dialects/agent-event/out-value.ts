import type { Meta } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { OpenCall } from '../../open-calls.ts'
import { boundData, exceedsUtf8, maxChannelBytes, maxMessageBytes, truncateUtf8 } from './bounds.ts'
import type { Kept } from './kept.ts'

export type OutValue = JsonObject

export interface Surroundings {
  readonly agentKind: string
  readonly handle?: string
  readonly calls: readonly OpenCall[]
}

/** A frame of this dialect as it came in, within the bounds. */
export function repeat(agentKind: string, kind: string, meta: Meta | undefined, kept: Kept): OutValue {
  const { message, data } = kept
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
  return usual === undefined ? {} : { channel: usual }
}
