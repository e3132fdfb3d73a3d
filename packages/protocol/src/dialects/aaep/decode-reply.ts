import type { Decoded } from '../../dialect.ts'
import type { Meta, QuestionClose, QuestionOpen } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Checker } from '../../schemas/check.ts'
import type { QuestionState, SessionState } from '../../session-state.ts'
import { tableGet, tablePick } from '../../table.ts'
import { toReplyToken } from './names.ts'
import { aaepRules } from './rules.ts'
import type { AaepSequence, Before } from './sequence.ts'
import type { WireMessage } from './wire/messages.ts'

type Reply = WireMessage<'confirmation.reply'> | WireMessage<'clarification.reply'>

/**
 * Decodes a message that travels next to the events. A reply closes its question; any other message is kept
 * as it is. None of them is an event, so none goes out unchanged.
 */
export function decodeMessage(
  { state, session }: Before,
  value: JsonObject,
  checker: Checker,
): Decoded<AaepSequence> {
  const type = String(value['type'])
  const kept = (findings: readonly Finding[]): Decoded<AaepSequence> => ({
    state,
    events: [{ kind: 'unknown', type, data: value }],
    findings,
    exact: false,
    direction: 'input',
  })
  const isReply = type === 'confirmation.reply' || type === 'clarification.reply'
  // The connection decides who may answer, so a reply need not name its subscription.
  const checked =
    isReply && value['subscription_id'] === undefined ? { ...value, subscription_id: 'sub_0' } : value
  const findings = checker.findings(checked)
  if (findings.length > 0) return kept(findings)
  if (!isReply) return { ...kept([]), direction: 'event' }
  const reply = value as unknown as Reply // fits the open form of its schema
  const question = questionOf(reply, session)
  if (question === undefined) return kept([breach(aaepRules.unknownToken, '/reply_token')])
  const close = toClose(reply, question.opened)
  if (close === undefined)
    return kept([
      breach(aaepRules.replyNotAllowed, reply.type === 'confirmation.reply' ? '/decision' : '/response'),
    ])
  return { state, events: [close], findings: [], exact: false, direction: 'input' }
}

function questionOf(reply: Reply, session: SessionState): QuestionState | undefined {
  const token = reply.reply_token
  const question =
    tableGet(session.questions, token) ??
    tablePick(session.questions, session.open.questions).find(
      ({ opened }) => toReplyToken(opened.token) === token,
    )
  if (question === undefined || question.closed !== undefined) return undefined
  const isClarification = question.opened.question === 'clarification'
  return isClarification === (reply.type === 'clarification.reply') ? question : undefined
}

function toClose(reply: Reply, question: QuestionOpen): QuestionClose | undefined {
  const { decided_by, correlation_id, timestamp } = reply
  const meta: Meta = omitUndefined({ at: timestamp, trace: correlation_id })
  const answered = {
    kind: 'question-close',
    token: question.token,
    how: 'answered',
    ...omitUndefined({ by: decided_by }),
    meta,
  } as const
  if (reply.type === 'clarification.reply')
    return isResponse(reply.response, question) ? { ...answered, response: reply.response } : undefined
  // A changed action that nobody can carry out counts as a refusal (AAEP §6).
  if (reply.modified_action !== undefined) return { ...answered, decision: 'reject' }
  const allowed: readonly string[] = question.allowed ?? ['accept', 'reject']
  return allowed.includes(reply.decision) ? { ...answered, decision: reply.decision } : undefined
}

/** AAEP §6: a response must be of a type that the question accepts. */
function isResponse(response: string | boolean | number, question: QuestionOpen): boolean {
  const { kinds, choices } = question
  if (kinds === undefined || kinds.length === 0) return true
  return kinds.some((kind) => {
    if (kind === 'yes_no') return typeof response === 'boolean'
    if (kind === 'numeric') return typeof response === 'number'
    if (kind === 'freetext') return typeof response === 'string'
    return choices === undefined
      ? typeof response === 'string'
      : choices.some(({ value }) => value === response)
  })
}
