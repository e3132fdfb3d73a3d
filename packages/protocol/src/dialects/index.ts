import type { Dialect } from '../dialect.ts'
import { SluiceError } from '../error.ts'
import type { JsonValue } from '../json.ts'
import { a2a } from './a2a/index.ts'
import { a2aV1 } from './a2a-v1/index.ts'
import { aaep } from './aaep/index.ts'
import { agentEvent } from './agent-event/index.ts'
import { sluice } from './sluice/index.ts'
import { streamEvent } from './stream-event/index.ts'

/** Every dialect, in the order in which detection tries them. */
export const dialects: readonly Dialect[] = [sluice, aaep, agentEvent, streamEvent, a2a, a2aV1]

/** The dialect with this id; throws `unknown_dialect`. */
export function dialectById(id: string): Dialect {
  const dialect = dialects.find((candidate) => candidate.id === id)
  if (dialect === undefined)
    throw new SluiceError('unknown_dialect', { details: { known: dialects.map((d) => d.id).join(', ') } })
  return dialect
}

/** The dialect that a frame looks like, if any. */
export function detectDialect(value: JsonValue): Dialect | undefined {
  return dialects.find((dialect) => dialect.recognizes(value))
}

export {
  type Converted,
  type Converter,
  type ConvertOptions,
  convertRules,
  createConverter,
} from '../convert.ts'
export { lossesBetween } from '../losses.ts'
export { isSessionId, toSessionId } from '../session-id.ts'
export { type ToldEntry, tellEntry } from '../tell-entry.ts'
export type { A2aFrame } from './a2a/wire.ts'
export type { A2aV1Frame } from './a2a-v1/wire.ts'
export { createAaepEncoder } from './aaep/encode.ts'
export { mintOf as aaepMintOf, toReplyToken } from './aaep/names.ts'
export { aaepLanguages, aaepPhrasesFor } from './aaep/phrases/languages.ts'
export { matchLanguage } from './aaep/phrases/match-language.ts'
export type { AaepPhrases } from './aaep/phrases/schema.ts'
export { withSafeDefault } from './aaep/safe-default.ts'
export type { WireMessage as AaepMessage } from './aaep/wire/messages.ts'
export { coreContext as aaepContext, sluiceContext } from './aaep/wire/vocabulary.ts'
export {
  type AaepFrame,
  aaepSchemas,
  coreTypeOf as aaepCoreType,
  messageCheckerOf as aaepMessageChecker,
  toCompactType as toCompactAaepType,
} from './aaep/wire.ts'
export type { AgentEventFrame } from './agent-event/wire.ts'
export type { StreamEventFrame } from './stream-event/wire.ts'
