import { type Check, type Evidence, judgeEvidence, notRun } from '../check.ts'
import { admits, exceeding } from '../honored.ts'
import { evidenceOn, isCritical, objectOf, readingIn, runOf, typeOf } from '../story.ts'
import type { ArrivedEvent, Item, Reading, SentMessage, Transcript } from '../transcript.ts'

const whyNone = 'The producer has no handshake, or the session was too short.'

/** How long events in flight when a message is sent may still arrive. */
const underWayMs = 250

interface Change {
  readonly reading: Reading
  readonly sent: SentMessage
  /** The first message after it. */
  readonly answer?: Extract<Item, { kind: 'message' }>
  readonly after: readonly ArrivedEvent[]
}

function changeIn(
  transcript: Transcript,
  role: 'changing' | 'closing',
  intent: SentMessage['intent'],
): Change | undefined {
  const reading = readingIn(runOf(transcript, 'reject'), role)
  const at = reading?.items.findIndex((item) => item.kind === 'sent' && item.intent === intent) ?? -1
  const sent = reading?.items[at]
  if (reading === undefined || sent?.kind !== 'sent') return undefined
  const rest = reading.items.slice(at + 1)
  const answerAt = rest.findIndex((item) => item.kind === 'message')
  const answer = rest[answerAt]
  const after = rest.slice(answerAt + 1).filter((item) => item.kind === 'event')
  return { reading, sent, after, ...(answer?.kind === 'message' && { answer }) }
}

function badAnswer({ reading: { where, request }, sent, answer }: Change): readonly Evidence[] {
  if (answer === undefined) return [{ where, detail: 'There was no answer.' }]
  if (answer.message['type'] === 'subscription.rejected') return []
  if (answer.message['type'] !== 'subscription.accepted')
    return [{ where, pointer: '/type', detail: 'It is no subscription.accepted.' }]
  const requested = { ...objectOf(request, 'capabilities'), ...objectOf(sent.message, 'capabilities') }
  return exceeding(requested, objectOf(answer.message, 'honored_capabilities') ?? {}).map((pointer) => ({
    where,
    pointer,
    detail: 'It is more than was asked for.',
  }))
}

/** Over HTTP the answer and the events use different connections: events in flight may still arrive. */
function oldTerms({ reading: { where }, sent, answer, after }: Change): readonly Evidence[] {
  const filters = objectOf(objectOf(sent.message, 'capabilities'), 'event_filters')
  const from = (answer?.atMs ?? sent.atMs) + underWayMs
  return after
    .filter(({ event, atMs }) => atMs > from && !isCritical(event) && !admits(filters, typeOf(event)))
    .map(({ event }) => evidenceOn({ where, event }, '/type', 'The renegotiated terms exclude it.'))
}

function afterClose({ reading: { where }, sent, after }: Change): readonly Evidence[] {
  return after
    .filter(({ atMs }) => atMs > sent.atMs + underWayMs)
    .map(({ event }) => evidenceOn({ where, event }, '', 'The subscription is closed.'))
}

/** Whether the main subscription received later events that this one had to omit. */
function hasMore(transcript: Transcript, { sent }: Change, isConcerned: (type: string) => boolean): boolean {
  const main = readingIn(runOf(transcript, 'reject'), 'main')
  return (main?.items ?? []).some(
    (item) => item.kind === 'event' && item.atMs > sent.atMs + underWayMs && isConcerned(typeOf(item.event)),
  )
}

export const renegotiationChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-REN-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'A renegotiation is answered, with terms that do not exceed the requested ones.',
    judge: (transcript) => {
      const change = changeIn(transcript, 'changing', 'renegotiate')
      return change === undefined ? notRun(whyNone) : judgeEvidence(badAnswer(change))
    },
  },
  {
    id: 'L3-REN-002',
    level: 3,
    section: 'AAEP §5',
    sentence: 'Renegotiated terms apply as soon as they are accepted.',
    judge: (transcript) => {
      const change = changeIn(transcript, 'changing', 'renegotiate')
      if (change?.answer?.message['type'] !== 'subscription.accepted')
        return notRun('Nothing was renegotiated.')
      const filters = objectOf(objectOf(change.sent.message, 'capabilities'), 'event_filters')
      return hasMore(transcript, change, (type) => !admits(filters, type))
        ? judgeEvidence(oldTerms(change))
        : notRun('Nothing followed that the renegotiated terms exclude.')
    },
  },
  {
    id: 'L3-CLOSE-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'A closed subscription receives nothing.',
    judge: (transcript) => {
      const change = changeIn(transcript, 'closing', 'close')
      if (change === undefined) return notRun(whyNone)
      return hasMore(transcript, change, () => true)
        ? judgeEvidence(afterClose(change))
        : notRun('Nothing followed.')
    },
  },
]
