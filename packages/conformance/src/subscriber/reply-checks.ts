import { isJsonObject, type JsonObject } from '@sluice/protocol'
import { type Check, type Evidence, judgeEach, judgeEvidence, notRun } from '../check.ts'
import { textOf } from '../story.ts'
import { isOwn, shapeOf } from './message-shape.ts'
import type { AskedQuestion, SubscriberRecord, TakenReply } from './subscriber-record.ts'

type Recorded = SubscriberRecord
const whyNoReply = 'The subscriber answered nothing.'
const whyNobody = 'No person follows the instructions; see --interactive.'

interface Answer {
  readonly where: string
  readonly atMs: number
  readonly message: JsonObject
  readonly question: AskedQuestion | undefined
}

function answersIn({ replies, questions }: Recorded): readonly Answer[] {
  return replies.flatMap(({ atMs, message }, index) => {
    if (message === undefined) return []
    const token = textOf(message, 'reply_token')
    const question = questions.find((asked) => asked.token === token)
    return [{ where: `reply ${index + 1}`, atMs, message, question }]
  })
}

function kindOf({ event }: AskedQuestion): 'confirmation.reply' | 'clarification.reply' {
  return textOf(event, 'type').endsWith('confirmation') ? 'confirmation.reply' : 'clarification.reply'
}

function misfit({ where, message, question }: Answer): readonly Evidence[] {
  if (question === undefined) return []
  if (message['type'] !== kindOf(question))
    return [{ where, pointer: '/type', detail: 'The question is of another kind.' }]
  const choices = question.event['choices']
  if (!Array.isArray(choices)) return []
  const values = choices.filter(isJsonObject).map((choice) => choice['value'])
  return values.includes(message['response'])
    ? []
    : [{ where, pointer: '/response', detail: 'It is none of the choices.' }]
}

function unwanted(answer: Answer): readonly Evidence[] {
  const { where, message, question } = answer
  if (misfit(answer).length > 0) return []
  const given = message['decision'] ?? message['response']
  return given === question?.wanted
    ? []
    : [
        {
          where,
          pointer: message['decision'] === undefined ? '/response' : '/decision',
          detail: 'The person was told to answer otherwise.',
        },
      ]
}

function repetitions(record: Recorded): readonly Evidence[] {
  const seen = new Set<string>()
  return answersIn(record).flatMap(({ where, message }) => {
    const token = textOf(message, 'reply_token')
    const isAgain = seen.has(token)
    seen.add(token)
    return isAgain ? [{ where, pointer: '/reply_token', detail: 'The question was answered before.' }] : []
  })
}

function isLate({ atMs, question }: Answer, { toleranceMs }: Recorded): boolean {
  return question?.overAtMs !== undefined && atMs > question.overAtMs + toleranceMs
}

function malformed(reply: TakenReply, index: number): readonly Evidence[] {
  return shapeOf(`reply ${index + 1}`, reply.message)
}

/** How a subscriber answers questions: AAEP §6. */
export const replyChecks: readonly Check<Recorded>[] = [
  {
    id: 'S2-REPLY-001',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A reply matches its schema.',
    judge: ({ replies }) =>
      replies.length === 0 ? notRun(whyNoReply) : judgeEvidence(replies.flatMap(malformed)),
  },
  {
    id: 'S2-REPLY-002',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A reply names the token of a question that the producer asked.',
    judge: (record) =>
      judgeEach(
        answersIn(record),
        ({ where, question }) =>
          question === undefined ? [{ where, pointer: '/reply_token', detail: 'No question has it.' }] : [],
        whyNoReply,
      ),
  },
  {
    id: 'S2-REPLY-003',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A reply names the subscription of its sender.',
    judge: (record) =>
      record.subscriptionIds.length === 0
        ? notRun('There was no handshake.')
        : judgeEach(
            answersIn(record),
            ({ where, message }) =>
              isOwn(message, record)
                ? []
                : [{ where, pointer: '/subscription_id', detail: 'It is another one.' }],
            whyNoReply,
          ),
  },
  {
    id: 'S2-REPLY-004',
    level: 2,
    section: 'AAEP §3, §6',
    sentence: 'A question is answered once, even if its event arrives twice.',
    judge: (record) => {
      const isTested = answersIn(record).some(
        ({ message }) => textOf(message, 'reply_token') === record.repeated,
      )
      return isTested ? judgeEvidence(repetitions(record)) : notRun(whyNoReply)
    },
  },
  {
    id: 'S2-REPLY-005',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A question is not answered after its timeout.',
    judge: (record) => {
      const isTested = record.questions.some(
        ({ wanted, overAtMs }) => wanted === 'none' && overAtMs !== undefined,
      )
      if (!isTested || record.replies.length === 0) return notRun(whyNoReply)
      const late = answersIn(record).filter(
        (answer) => answer.question?.wanted === 'none' && isLate(answer, record),
      )
      return judgeEvidence(
        late.map(({ where }) => ({ where, pointer: '/reply_token', detail: 'It came too late.' })),
      )
    },
  },
  {
    id: 'S2-REPLY-006',
    level: 2,
    section: 'AAEP §6',
    sentence: 'An answer is of the requested kind.',
    judge: (record) =>
      judgeEach(
        answersIn(record).filter(({ question }) => question !== undefined),
        misfit,
        whyNoReply,
      ),
  },
  {
    id: 'S2-REPLY-007',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A reply says what the person decided.',
    judge: (record) => {
      if (!record.isInteractive) return notRun(whyNobody)
      const told = answersIn(record).filter(
        ({ question }) => question !== undefined && question.wanted !== 'none',
      )
      return judgeEach(told, unwanted, whyNoReply)
    },
  },
  {
    id: 'S2-AUTO-001',
    level: 2,
    section: 'AAEP §4.4.1, §10',
    sentence: 'The subscriber does not answer a question that the person leaves open.',
    judge: (record) => {
      if (!record.isInteractive) return notRun(whyNobody)
      const left = record.questions.filter(
        ({ wanted, overAtMs }) => wanted === 'none' && overAtMs !== undefined,
      )
      const answered = answersIn(record).filter(
        (answer) => answer.question?.wanted === 'none' && !isLate(answer, record),
      )
      return left.length === 0
        ? notRun('The script did not come so far.')
        : judgeEvidence(answered.map(({ where }) => ({ where, detail: 'Nobody was to answer.' })))
    },
  },
]
