import type { Dialect } from '../../dialect.ts'
import { type EventKind, eventKinds } from '../../events.ts'
import { isJsonObject } from '../../json.ts'
import { identify, sluiceDecoder, validateEntry } from './decode.ts'
import { type SluiceView, sluiceEncoder } from './encode.ts'
import { type SluiceSequence, sluiceRules } from './sequence.ts'
import { entrySchema, eventWireSchemas, publishedSchema } from './wire.ts'

/** Sluice's own dialect: the entry, lossless. */
export const sluice: Dialect<SluiceSequence, SluiceView> = {
  id: 'sluice',
  title: 'Sluice entries, version 1',
  supports: {
    sessionIds: true,
    terminal: true,
    eventIds: true,
    timestamps: true,
    ownsQuestionTimers: false,
    payloads: { request: true, toolArgs: true, toolResults: true },
    kinds: Object.fromEntries(eventKinds.map((kind) => [kind, 'full'])) as Record<EventKind, 'full'>, // one of each
  },
  rules: Object.values(sluiceRules),
  schemas: { entry: entrySchema, published: publishedSchema, ...eventWireSchemas },
  recognizes: (value) => isJsonObject(value) && Array.isArray(value['events']) && !('@context' in value),
  identify,
  validate: validateEntry,
  decode: sluiceDecoder,
  encode: sluiceEncoder,
}
