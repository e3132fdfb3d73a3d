import type { Handoff, QuestionOpen, ResponseKind, SluiceEvent } from '../../events.ts'
import { breach } from '../../finding.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { tableGet } from '../../table.ts'
import { readAgreedEvent } from './carried-event.ts'
import { readRisk } from './decode-activity.ts'
import { toReplyToken, toTimeoutSeconds } from './names.ts'
import { isOwnField } from './phrases/own-sentences.ts'
import { isText, keepField, type Reading, takeCarried, takeInvented } from './reading.ts'
import { aaepRules } from './rules.ts'
import { withSafeDefault } from './safe-default.ts'
import type { WireEvent } from './wire/events.ts'
import { maxTimeoutSeconds } from './wire/vocabulary.ts'

export function readConfirmation(
  reading: Reading,
  wire: WireEvent<'agent.awaiting.confirmation'>,
): readonly SluiceEvent[] {
  const token = readToken(reading, wire.reply_token)
  const risk = readRisk(reading, wire.risk_level)
  const carried = readCarriedQuestion(reading, token)
  if (carried !== undefined) return [carried]
  const { reversibility, allowed_replies } = wire
  const isFinal = reversibility === 'irreversible'
  if (reversibility !== undefined) keepField(reading, 'reversibility', reversibility)
  if (isFinal && wire.irreversible !== undefined) keepField(reading, 'irreversible', wire.irreversible)
  const irreversible = isFinal ? true : wire.irreversible
  const invented = takeInvented(reading, {
    consequence: () => isOwnField(wire.consequence, 'consequence'),
    timeoutMs: () => wire.timeout_seconds === maxTimeoutSeconds,
    default: () => wire.default_decision === 'reject',
  })
  const isOther = (value: JsonValue | undefined): value is string =>
    isText(value) && value !== 'accept' && value !== 'reject' && wire.default_decision === 'reject'
  const event: QuestionOpen = {
    kind: 'question-open',
    question: takeCarried(reading, 'question', isAuthorization) ?? 'confirmation',
    token,
    text: wire.action,
    ...(invented.includes('consequence') ? {} : { consequence: wire.consequence }),
    ...(invented.includes('timeoutMs') ? {} : { timeoutMs: readTimeout(reading, wire.timeout_seconds) }),
    ...(invented.includes('default')
      ? {}
      : { default: takeCarried(reading, 'default', isOther) ?? wire.default_decision }),
    ...omitUndefined({ allowed: allowed_replies, risk, irreversible }),
    meta: reading.meta,
  }
  return [withSafeDefault(event)]
}

const responseKinds: readonly string[] = ['freetext', 'yes_no', 'multiple_choice', 'numeric']

export function readClarification(
  reading: Reading,
  wire: WireEvent<'agent.awaiting.clarification'>,
): readonly SluiceEvent[] {
  const token = readToken(reading, wire.reply_token)
  const { accepted_response_kinds: accepted, choices, default_response } = wire
  if (accepted?.includes('multiple_choice') === true && choices === undefined)
    reading.findings.push(breach(aaepRules.choicesMissing, '/choices'))
  const carried = readCarriedQuestion(reading, token)
  if (carried !== undefined) return [carried]
  const kinds = accepted?.filter((kind): kind is ResponseKind => responseKinds.includes(kind))
  if (kinds?.length !== accepted?.length) keepField(reading, 'accepted_response_kinds', accepted)
  const invented = takeInvented(reading, {
    timeoutMs: () => wire.timeout_seconds === maxTimeoutSeconds,
  })
  const event: QuestionOpen = {
    kind: 'question-open',
    question: 'clarification',
    token,
    text: wire.question,
    ...omitUndefined({
      kinds,
      choices: choices === undefined ? undefined : choices.map(({ value, label }) => ({ value, label })),
    }),
    ...(invented.includes('timeoutMs') ? {} : { timeoutMs: readTimeout(reading, wire.timeout_seconds) }),
    ...omitUndefined({ default: default_response }),
    meta: reading.meta,
  }
  return [event]
}

const targets = ['human', 'specialist_agent', 'escalation_queue'] as const

export function readHandoff(
  reading: Reading,
  wire: WireEvent<'agent.handoff.requested'>,
): readonly SluiceEvent[] {
  const carried = readAgreedEvent(reading, 'handoff')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  const target = targets.find((known) => known === wire.target_kind)
  if (target === undefined) keepField(reading, 'target_kind', wire.target_kind)
  const event: Handoff = omitUndefined({
    kind: 'handoff',
    reason: wire.reason,
    target: target ?? 'human',
    uri: wire.target_uri,
    context: wire.packaged_context === undefined ? undefined : (wire.packaged_context as JsonObject),
    meta: reading.meta,
  })
  return [event]
}

function readToken(reading: Reading, wire: string): string {
  const isOurs = (value: JsonValue | undefined): value is string =>
    isText(value) && toReplyToken(value) === wire
  const token = takeCarried(reading, 'token', isOurs) ?? wire
  if (tableGet(reading.session.questions, token) !== undefined)
    reading.findings.push(breach(aaepRules.tokenReused, '/reply_token'))
  return token
}

function readCarriedQuestion(reading: Reading, token: string): QuestionOpen | undefined {
  const carried = readAgreedEvent(reading, 'question-open')
  if (carried?.kind !== 'question-open') return undefined
  return { ...withSafeDefault(carried), token, meta: reading.meta }
}

const isAuthorization = (value: JsonValue | undefined): value is 'authorization' => value === 'authorization'

function readTimeout(reading: Reading, seconds: number): number {
  const isExact = (value: JsonValue | undefined): value is number =>
    typeof value === 'number' && value >= 0 && toTimeoutSeconds(value) === seconds
  return takeCarried(reading, 'timeoutMs', isExact) ?? seconds * 1000
}
