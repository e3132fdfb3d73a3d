import { type Check, type Evidence, judgeEach } from '../check.ts'
import {
  type Exchange,
  eventsBetween,
  exchangesIn,
  isIrreversibleCall,
  isRelease,
  sentIn,
} from '../exchange.ts'
import { evidenceOn } from '../story.ts'
import type { Transcript } from '../transcript.ts'

const whyNone = 'No question has a timeout short enough to sit out.'

/** The delay of a question makes its timeout look early; at most this much is tolerated. */
const maxEarlyMs = 500

/** Confirmations that the suite left unanswered until they timed out. */
function leftOpen(transcript: Transcript): readonly Exchange[] {
  return transcript.runs
    .flatMap((run) => exchangesIn(run))
    .filter((it) => it.isConfirmation && sentIn(it, 'late') !== undefined)
}

function timeoutMsOf({ question: { event } }: Exchange): number {
  return Number(event['timeout_seconds']) * 1000
}

function check(
  id: string,
  sentence: string,
  find: (exchange: Exchange, toleranceMs: number) => readonly Evidence[],
): Check<Transcript> {
  return {
    id,
    level: 2,
    section: 'AAEP §6',
    sentence,
    judge: (transcript) => judgeEach(leftOpen(transcript), (it) => find(it, transcript.toleranceMs), whyNone),
  }
}

function tooEarly(exchange: Exchange, toleranceMs: number): readonly Evidence[] {
  const { where, question } = exchange
  const earliest = question.atMs + timeoutMsOf(exchange) - Math.min(toleranceMs, maxEarlyMs)
  return eventsBetween(exchange, 'question', 'late')
    .filter((arrived) => isRelease(arrived) && arrived.atMs < earliest)
    .map(({ event }) => evidenceOn({ where, event }, '', 'The time to answer was not over.'))
}

function neverApplied(exchange: Exchange): readonly Evidence[] {
  const { where, question } = exchange
  const isApplied = eventsBetween(exchange, 'question', 'late').some(isRelease)
  return isApplied
    ? []
    : [evidenceOn({ where, event: question.event }, '/timeout_seconds', 'The time passed and nothing came.')]
}

function actsOnReject(exchange: Exchange): readonly Evidence[] {
  if (exchange.question.event['default_decision'] !== 'reject') return []
  return eventsBetween(exchange, 'question', 'late')
    .filter(({ event }) => isIrreversibleCall(event))
    .map(({ event }) => evidenceOn({ where: exchange.where, event }, '/tool', 'The default is reject.'))
}

export const timeoutChecks: readonly Check<Transcript>[] = [
  check('L2-TIME-001', 'The default is not applied before the timeout.', tooEarly),
  check('L2-TIME-002', 'The default is applied at the timeout.', neverApplied),
  check('L2-TIME-003', 'The agent does not perform an action that is rejected by default.', actsOnReject),
]
