import { IsUri } from 'typebox/format'
import type { Choice, Handoff, QuestionOpen } from '../../events.ts'
import type { JsonArray, JsonObject, JsonValue } from '../../json.ts'
import { carryEvent, cut } from './bounds.ts'
import type { FrameBody } from './draft.ts'
import { carriedOf, coreBody } from './encode-session.ts'
import { toName, toReplyToken, toTimeoutSeconds } from './names.ts'
import type { SentenceKey } from './phrases/schema.ts'
import { withSafeDefault } from './safe-default.ts'
import type { Speaker } from './sentences.ts'
import { maxTerse, maxText, maxTimeoutSeconds } from './wire/vocabulary.ts'

export function questionBody(asked: QuestionOpen, { fields }: Speaker): FrameBody {
  const event = withSafeDefault(asked)
  return event.question === 'clarification'
    ? clarificationBody(event, fields)
    : confirmationBody(event, fields)
}

function confirmationBody(event: QuestionOpen, texts: Speaker['fields']): FrameBody {
  const { text, consequence, timeoutMs, default: byDefault, allowed, risk, irreversible, question } = event
  const action = cut(text, maxText)
  const follows = consequence === undefined ? undefined : cut(consequence, maxText)
  const allowed_replies =
    allowed === undefined
      ? undefined
      : [...new Set(allowed.map((reply) => reply.toWellFormed()))].slice(0, 32)
  const isDecision = byDefault === 'accept' || byDefault === 'reject'
  const ext = event.meta?.ext?.['aaep']
  const isLossy =
    action !== text ||
    text === '' ||
    follows !== consequence ||
    consequence === '' ||
    allowed_replies?.length !== allowed?.length ||
    allowed?.some((reply) => !reply.isWellFormed()) === true ||
    allowed?.length === 0 ||
    event.kinds !== undefined ||
    event.choices !== undefined
  const invented = [
    ...(consequence === undefined ? ['consequence'] : []),
    ...(timeoutMs === undefined ? ['timeoutMs'] : []),
    ...(byDefault === undefined ? ['default'] : []),
  ]
  return coreBody('agent.awaiting.confirmation', {
    fields: {
      action: action || texts.action,
      consequence: follows || texts.consequence,
      reply_token: toReplyToken(event.token),
      timeout_seconds: timeoutMs === undefined ? maxTimeoutSeconds : toTimeoutSeconds(timeoutMs),
      default_decision: isDecision ? byDefault : 'reject',
      risk_level: risk,
      // A producer that stated `reversibility` may not have stated this.
      irreversible: ext?.['reversibility'] === 'irreversible' ? undefined : irreversible,
      reversibility: undefined,
      allowed_replies: allowed_replies?.length === 0 ? undefined : allowed_replies,
    },
    hasText: true,
    ...carriedOf(
      ...tokenOf(event),
      isLossy ? carryEvent(event) : undefined,
      isLossy || question === 'confirmation' ? undefined : { question },
      isLossy || invented.length === 0 ? undefined : { invented },
      isLossy ? undefined : timeoutOf(timeoutMs),
      isLossy || byDefault === undefined || isDecision ? undefined : { default: byDefault },
    ),
  })
}

function clarificationBody(event: QuestionOpen, texts: Speaker['fields']): FrameBody {
  const { text, kinds, choices, timeoutMs, default: byDefault } = event
  const question = cut(text, maxText)
  const offered = choices === undefined ? undefined : toChoices(choices)
  const accepted = kinds?.filter(
    (kind, index) => kinds.indexOf(kind) === index && (kind !== 'multiple_choice' || offered !== undefined),
  )
  const default_response = byDefault === undefined ? undefined : cut(byDefault, maxTerse)
  const isLossy =
    question !== text ||
    text === '' ||
    accepted?.length !== kinds?.length ||
    kinds?.length === 0 ||
    !isSame(offered, choices) ||
    default_response !== byDefault ||
    event.consequence !== undefined ||
    event.allowed !== undefined ||
    event.risk !== undefined ||
    event.irreversible !== undefined
  return coreBody('agent.awaiting.clarification', {
    fields: {
      question: question || texts.question,
      reply_token: toReplyToken(event.token),
      timeout_seconds: timeoutMs === undefined ? maxTimeoutSeconds : toTimeoutSeconds(timeoutMs),
      accepted_response_kinds: accepted?.length === 0 ? undefined : accepted,
      choices: offered as JsonArray | undefined,
      default_response,
    },
    hasText: true,
    ...carriedOf(
      ...tokenOf(event),
      isLossy ? carryEvent(event) : undefined,
      isLossy || timeoutMs !== undefined ? undefined : { invented: ['timeoutMs'] },
      isLossy ? undefined : timeoutOf(timeoutMs),
    ),
  })
}

function toChoices(choices: readonly Choice[]): readonly Choice[] | undefined {
  const offered = choices
    .map(({ value, label }) => ({ value: cut(value, 256), label: cut(label, 1024) || cut(value, 1024) }))
    .filter(({ value }) => value !== '')
    .slice(0, 32)
  return offered.length < 2 ? undefined : offered
}

function isSame(a: readonly Choice[] | undefined, b: readonly Choice[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.length === b.length &&
    a.every((choice, at) => choice.value === b[at]?.value && choice.label === b[at]?.label)
  )
}

function tokenOf(event: QuestionOpen): readonly (JsonObject | undefined)[] {
  return toReplyToken(event.token) === event.token ? [] : [{ token: toName(event.token) }]
}

function timeoutOf(timeoutMs: number | undefined): JsonObject | undefined {
  return timeoutMs === undefined || toTimeoutSeconds(timeoutMs) * 1000 === timeoutMs
    ? undefined
    : { timeoutMs }
}

const handoffSentences: Readonly<Record<Handoff['target'], SentenceKey>> = {
  human: 'handoffToPerson',
  specialist_agent: 'handoffToAgent',
  escalation_queue: 'handoffToQueue',
}

export function handoffBody(event: Handoff, speaker: Speaker): FrameBody {
  const { reason, target, uri, context } = event
  const says = cut(reason, maxText)
  const isLossy = says !== reason || reason === '' || (uri !== undefined && !IsUri(uri))
  return coreBody('agent.handoff.requested', {
    fields: {
      reason: says || speaker.fields.reason,
      target_kind: target,
      target_uri: uri !== undefined && IsUri(uri) ? uri : undefined,
      packaged_context: context as JsonValue | undefined,
    },
    spoken: speaker.say(handoffSentences[target]),
    hasText: says !== '',
    ...carriedOf(isLossy ? carryEvent(event) : undefined),
  })
}
