import { type Check, type Evidence, judgeEvidence, notRun } from '../check.ts'
import {
  eventsOf,
  evidenceOn,
  haveEnded,
  isCritical,
  otherTexts,
  readingIn,
  runOf,
  textOf,
  textsOf,
  typeOf,
} from '../story.ts'
import type { ArrivedEvent, Reading, Transcript } from '../transcript.ts'

const whyNone = 'The producer has no handshake, or no event came in.'

/** Events that arrive this shortly before a critical event count as flushed by it. */
const flushMs = 250

/**
 * The events that count against the rate: all except critical events and the events that each of them
 * flushes. A producer coalesces text, progress and state, so only one of each kind is free per flush.
 */
function counted(events: readonly ArrivedEvent[]): readonly ArrivedEvent[] {
  const free = new Set<ArrivedEvent>()
  events.forEach((critical, index) => {
    if (!isCritical(critical.event)) return
    free.add(critical)
    const joined = new Set<string>()
    for (const held of events.slice(0, index).reverse()) {
      if (critical.atMs - held.atMs > flushMs || isCritical(held.event)) break
      const kind = joinedKind(held)
      if (kind === undefined || !joined.has(kind)) free.add(held)
      if (kind !== undefined) joined.add(kind)
    }
  })
  return events.filter((arrived) => !free.has(arrived))
}

function joinedKind({ event }: ArrivedEvent): string | undefined {
  const type = typeOf(event)
  if (type === 'aaep:agent.output.streaming') return `${type} ${textOf(event, 'output_id')}`
  return ['aaep:agent.progress.updated', 'aaep:agent.state.changed'].includes(type) ? type : undefined
}

/** A token bucket; the tolerance allows for events that the network delivers in a burst. */
function tooFast(reading: Reading, rate: number, toleranceMs: number): readonly Evidence[] {
  const capacity = Math.max(1, rate / 2) + (rate * toleranceMs) / 1000
  let level = capacity
  let lastAt: number | undefined
  return counted(eventsOf(reading)).flatMap(({ event, atMs }) => {
    level = Math.min(capacity, level + ((atMs - (lastAt ?? atMs)) * rate) / 1000)
    lastAt = atMs
    level -= 1
    return level < -1e-6
      ? [evidenceOn({ where: reading.where, event }, '', `It exceeds ${rate} a second.`)]
      : []
  })
}

/** Chunks that claim completion although their output is not complete. */
function otherBoundaries(slow: Reading): readonly Evidence[] {
  return eventsOf(slow)
    .filter(({ event }) => event['coalesce_hint'] === 'completion' && event['complete'] !== true)
    .map(({ event }) =>
      evidenceOn({ where: slow.where, event }, '/coalesce_hint', 'The output is not complete.'),
    )
}

export const pacingChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-RATE-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'The agreed rate is kept, except for critical events and the events that they flush.',
    judge: (transcript) => {
      const slow = readingIn(runOf(transcript, 'accept'), 'slow')
      if (slow === undefined || eventsOf(slow).length === 0) return notRun(whyNone)
      // A larger tolerance would hide breaches at a rate of one event per second.
      const toleranceMs = Math.min(transcript.toleranceMs, 250)
      const fast = tooFast(slow, transcript.slowRate, toleranceMs)
      const main = readingIn(runOf(transcript, 'accept'), 'main')
      const isTested = main !== undefined && tooFast(main, transcript.slowRate, toleranceMs).length > 0
      if (fast.length === 0 && !isTested) return notRun('The session itself is not faster than that.')
      return judgeEvidence(fast)
    },
  },
  {
    id: 'L3-RATE-002',
    level: 3,
    section: 'AAEP §5, §8',
    sentence: 'Coalesced text is complete.',
    judge: (transcript) => {
      const run = runOf(transcript, 'accept')
      const main = readingIn(run, 'main')
      const slow = readingIn(run, 'slow')
      if (main === undefined || slow === undefined || textsOf(main).size === 0)
        return notRun('No text came in.')
      if (!haveEnded(slow)) return notRun('The slow subscription did not come to the end in time.')
      return judgeEvidence(otherTexts(main, slow))
    },
  },
  {
    id: 'L3-RATE-003',
    level: 3,
    section: 'AAEP §4.3.3, §5',
    sentence: 'Only the last chunk of an output claims completion.',
    judge: (transcript) => {
      const slow = readingIn(runOf(transcript, 'accept'), 'slow')
      const hasHints =
        slow !== undefined && eventsOf(slow).some(({ event }) => event['coalesce_hint'] !== undefined)
      return hasHints ? judgeEvidence(otherBoundaries(slow)) : notRun('No chunk has a hint.')
    },
  },
]
