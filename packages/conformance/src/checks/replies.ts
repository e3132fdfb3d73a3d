import { type Check, type Evidence, judgeEach } from '../check.ts'
import {
  type Exchange,
  eventsBetween,
  eventsWithoutLeave,
  exchangesIn,
  isIrreversibleCall,
  isRelease,
  releasedTools,
  sentIn,
} from '../exchange.ts'
import { evidenceOn, readingIn, runOf, textOf, typeOf } from '../story.ts'
import type { ArrivedEvent, Intent, Transcript } from '../transcript.ts'

function exchangesWith(transcript: Transcript, ...intents: readonly Intent[]): readonly Exchange[] {
  return transcript.runs
    .flatMap((run) => exchangesIn(run))
    .filter((it) => sentIn(it, ...intents) !== undefined)
}

function releasedBy(exchange: Exchange, intent: Intent, detail: string): readonly Evidence[] {
  return eventsBetween(exchange, intent, 'accept', 'reject', 'answer')
    .filter(isRelease)
    .map(({ event }) => evidenceOn({ where: exchange.where, event }, '', detail))
}

/** A bad reply must get the same status and body as a good one. */
function tellsWhy(exchange: Exchange): readonly Evidence[] {
  const good = sentIn(exchange, 'accept', 'reject', 'answer')
  return exchange.items.flatMap((item) => {
    if (item.kind !== 'sent' || !isBad(item.intent) || good === undefined) return []
    const isSame = item.status === good.status && item.body === good.body
    return isSame ? [] : [{ where: exchange.where, detail: `A ${item.intent} reply is answered otherwise.` }]
  })
}

const isBad = (intent: Intent): boolean => ['forged', 'ill-typed', 'replayed', 'late'].includes(intent)

/** Over a WebSocket, a reply gets no answer at all. */
function answersOnSocket(transcript: Transcript): readonly Evidence[] {
  return transcript.runs.flatMap((run) => {
    const reading = readingIn(run, 'main')
    const firstBad = reading?.items.findIndex((item) => item.kind === 'sent' && isBad(item.intent)) ?? -1
    if (reading === undefined || firstBad < 0) return []
    return reading.items
      .slice(firstBad)
      .flatMap((item) =>
        item.kind === 'message' ? [{ where: reading.where, detail: 'A bad reply is answered.' }] : [],
      )
  })
}

function actsAfter(exchange: Exchange, intent: Intent, tools: ReadonlySet<string>): readonly Evidence[] {
  const isAct = ({ event }: ArrivedEvent): boolean =>
    isIrreversibleCall(event) ||
    (typeOf(event) === 'aaep:agent.tool.invoked' && tools.has(textOf(event, 'tool')))
  return eventsWithoutLeave(exchange, intent)
    .filter(isAct)
    .map(({ event }) =>
      evidenceOn({ where: exchange.where, event }, '/tool', `The ${intent} reply was taken.`),
    )
}

/** L2-TIME-002 judges a timeout that was not applied; without a timeout, no reply is late. */
function isTimedOut(exchange: Exchange): boolean {
  return exchange.isConfirmation && eventsBetween(exchange, 'question', 'late').some(isRelease)
}

export const replyChecks: readonly Check<Transcript>[] = [
  {
    id: 'L2-REPLY-001',
    level: 2,
    section: 'AAEP §6, §10',
    sentence: 'A reply with a token that was never issued has no effect.',
    judge: (transcript) =>
      judgeEach(
        exchangesWith(transcript, 'forged'),
        (it) => releasedBy(it, 'forged', 'A forged reply was taken.'),
        'There was no question to forge a reply to.',
      ),
  },
  {
    id: 'L2-REPLY-002',
    level: 2,
    section: 'AAEP §6',
    sentence: 'The producer does not reveal why it ignores a reply.',
    judge: (transcript) => {
      const exchanges = exchangesWith(transcript, 'forged', 'ill-typed', 'replayed', 'late')
      const why = 'There was no question to send a bad reply to.'
      return transcript.transport === 'ws'
        ? judgeEach(exchanges.length === 0 ? [] : [transcript], answersOnSocket, why)
        : judgeEach(exchanges, tellsWhy, why)
    },
  },
  {
    id: 'L2-REPLY-003',
    level: 2,
    section: 'AAEP §6, §10',
    sentence: 'A reply token is accepted only once.',
    judge: (transcript) => {
      const tools = releasedTools(runOf(transcript, 'accept'))
      return judgeEach(
        exchangesIn(runOf(transcript, 'reject')).filter((it) => sentIn(it, 'replayed') !== undefined),
        (it) => actsAfter(it, 'replayed', tools),
        'No rejection could be replayed as an acceptance.',
      )
    },
  },
  {
    id: 'L2-REPLY-004',
    level: 2,
    section: 'AAEP §6',
    sentence: 'An answer of the wrong kind leaves the question open.',
    judge: (transcript) =>
      judgeEach(
        exchangesWith(transcript, 'ill-typed'),
        (it) => releasedBy(it, 'ill-typed', 'An answer of the wrong kind was taken.'),
        'No question asks for one kind of answer only.',
      ),
  },
  {
    id: 'L2-REPLY-005',
    level: 2,
    section: 'AAEP §6',
    sentence: 'A reply after the timeout has no effect.',
    judge: (transcript) =>
      judgeEach(
        exchangesWith(transcript, 'late').filter(isTimedOut),
        (it) => actsAfter(it, 'late', new Set()),
        'No question timed out.',
      ),
  },
]
