import type { Dialect } from '../../dialect.ts'
import { isJsonObject, type JsonValue } from '../../json.ts'
import { aaepPayloads } from './bounds.ts'
import { aaepDecoder, identify } from './decode.ts'
import { aaepEncoder } from './encode.ts'
import { aaepId } from './names.ts'
import { phrasesSchema } from './phrases/schema.ts'
import { aaepRules } from './rules.ts'
import type { AaepSequence } from './sequence.ts'
import type { AaepView } from './view.ts'
import { aaepSchemas, checkerOf, envelopeChecker } from './wire.ts'

/** Agent Accessibility Event Protocol 1.0. */
export const aaep: Dialect<AaepSequence, AaepView> = {
  id: aaepId,
  title: 'Agent Accessibility Event Protocol 1.0',
  supports: {
    sessionIds: true,
    terminal: true,
    eventIds: true,
    timestamps: true,
    ownsQuestionTimers: true,
    payloads: aaepPayloads,
    kinds: {
      'session-start': 'full',
      'session-end': 'full',
      'state-change': 'full',
      progress: 'full',
      message: 'part',
      'text-delta': 'full',
      'text-end': 'full',
      'text-reset': 'part',
      'part-add': 'carried',
      'tool-call': 'part',
      'tool-call-delta': 'none',
      'tool-result': 'part',
      sources: 'carried',
      'question-open': 'full',
      'question-close': 'part',
      handoff: 'full',
      notice: 'carried',
      usage: 'carried',
      'state-data': 'carried',
      unknown: 'carried',
    },
  },
  rules: Object.values(aaepRules),
  schemas: { ...aaepSchemas, phrases: phrasesSchema },
  recognizes,
  identify,
  validate: (value) =>
    isJsonObject(value) ? checkerOf(value).exactFindings(value) : envelopeChecker.exactFindings(value),
  decode: aaepDecoder,
  encode: aaepEncoder,
}

const messageTypes = /^subscription\.(?:request|accepted|rejected|renegotiate|close)$/

function recognizes(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false
  const { type } = value
  if ('@context' in value && 'event_id' in value) return true
  if (typeof type !== 'string') return false
  if (type.startsWith('aaep:') || type.startsWith('https://aaep-protocol.org/')) return true
  if (type === 'confirmation.reply' || type === 'clarification.reply') return 'reply_token' in value
  return (
    messageTypes.test(type) &&
    ('subscription_id' in value || 'subscriber_id' in value || 'reason_code' in value)
  )
}
