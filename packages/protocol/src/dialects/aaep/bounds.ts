import { toCarried } from '../../carry.ts'
import type { DialectSupports } from '../../dialect.ts'
import type { SluiceEvent } from '../../events.ts'
import { isDeeperThan, type JsonObject } from '../../json.ts'
import { graphemeCut } from '../../segment/grapheme-cut.ts'
import { toName } from './names.ts'
import { maxDurationMs } from './wire/vocabulary.ts'

/** The payloads that AAEP has fields for: the request, but neither arguments nor results. */
export const aaepPayloads: DialectSupports['payloads'] = {
  request: true,
  toolArgs: false,
  toolResults: false,
}

/** Makes a text well-formed and cuts it to at most `max` code points, between two grapheme clusters. */
export function cut(text: string, max: number): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.length <= max ? whole : whole.slice(0, graphemeCut(whole, max))
}

/** A duration within AAEP's bounds. */
export function toMilliseconds(duration: number): number {
  return Math.min(maxDurationMs, Math.max(0, Math.round(duration)))
}

/** A carried event is three levels deeper than its frame: the frame, its extensions, and `sluice` in them. */
const maxCarriedDepth = 64 - 3

/** The extension `sluice` for an event, as text if the event nests too deep for a frame. */
export function carryEvent(event: SluiceEvent): JsonObject {
  const whole = toCarried(event, aaepPayloads)
  let carried = whole
  for (const key of ['output', 'call', 'token']) {
    const id = whole[key]
    if (typeof id === 'string' && !id.isWellFormed()) carried = { ...carried, [key]: toName(id) }
  }
  return isDeeperThan(carried, maxCarriedDepth) ? { eventJson: JSON.stringify(carried) } : { event: carried }
}
