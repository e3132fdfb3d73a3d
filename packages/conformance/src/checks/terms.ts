import { type Check, type Evidence, judgeEach, judgeEvidence, notRun } from '../check.ts'
import { admits } from '../honored.ts'
import {
  eventsOf,
  evidenceOn,
  haveEnded,
  isCritical,
  landmarkOf,
  objectOf,
  readingIn,
  runOf,
  terminals,
  textOf,
  typeOf,
} from '../story.ts'
import type { ArrivedEvent, Reading, Role, Transcript } from '../transcript.ts'

const whyNone = 'The producer has no handshake, or no event came in.'

interface Pair {
  readonly main: Reading
  readonly other: Reading
  readonly transcript: Transcript
}

/** Pairs the unlimited subscription of the first run with those of these roles. */
function beside(transcript: Transcript, ...roles: readonly Role[]): readonly Pair[] {
  const run = transcript.hasHandshake ? runOf(transcript, 'accept') : undefined
  const main = readingIn(run, 'main')
  return roles.flatMap((role) => {
    const other = readingIn(run, role)
    return main === undefined || other === undefined || eventsOf(main).length === 0
      ? []
      : [{ main, other, transcript }]
  })
}

function filtersOf({ request }: Reading): ReturnType<typeof objectOf> {
  return objectOf(objectOf(request, 'capabilities'), 'event_filters')
}

/** Leaves out events after the end of a session: L1-SEQ-003 judges them. */
function landmarksOf(reading: Reading): ReadonlyMap<string, ArrivedEvent> {
  const ended = new Set<string>()
  const landmarks = new Map<string, ArrivedEvent>()
  for (const arrived of eventsOf(reading)) {
    const landmark = landmarkOf(arrived.event)
    const session = textOf(arrived.event, 'session_id')
    if (landmark !== undefined && !ended.has(session)) landmarks.set(landmark, arrived)
    if (terminals.has(typeOf(arrived.event))) ended.add(session)
  }
  return landmarks
}

function missingCriticals({ main, other }: Pair): readonly Evidence[] {
  const there = landmarksOf(other)
  return [...landmarksOf(main)]
    .filter(([landmark, { event }]) => isCritical(event) && !there.has(landmark))
    .map(([, { event }]) => evidenceOn({ where: other.where, event }, '', 'It did not come here.'))
}

function lateCriticals({ main, other, transcript }: Pair): readonly Evidence[] {
  const there = landmarksOf(other)
  return [...landmarksOf(main)].flatMap(([landmark, { event, atMs }]) => {
    const late = (there.get(landmark)?.atMs ?? atMs) - atMs
    return isCritical(event) && late > transcript.toleranceMs
      ? [evidenceOn({ where: other.where, event }, '', `It came ${late} ms later than elsewhere.`)]
      : []
  })
}

/** A state change may pass a filter to report the outcome of a question; the suite's filters exclude none. */
function unwanted({ other }: Pair): readonly Evidence[] {
  return eventsOf(other)
    .filter(({ event }) => !isCritical(event) && !admits(filtersOf(other), typeOf(event)))
    .map(({ event }) => evidenceOn({ where: other.where, event }, '/type', 'The subscription excludes it.'))
}

function lost({ main, other }: Pair): readonly Evidence[] {
  const there = landmarksOf(other)
  return [...landmarksOf(main)]
    .filter(
      ([landmark, { event }]) =>
        !isCritical(event) && admits(filtersOf(other), typeOf(event)) && !there.has(landmark),
    )
    .map(([, { event }]) => evidenceOn({ where: other.where, event }, '', 'It did not come here.'))
}

function disorder({ main, other }: Pair): readonly Evidence[] {
  const order = [...landmarksOf(main).keys()]
  let last = -1
  return [...landmarksOf(other)].flatMap(([landmark, { event }]) => {
    const at = order.indexOf(landmark)
    const isBehind = at >= 0 && at < last
    if (at > last) last = at
    return isBehind
      ? [evidenceOn({ where: other.where, event }, '', 'It comes behind what follows it elsewhere.')]
      : []
  })
}

/** The delay of each event relative to the fastest one, so that the clocks need not agree. */
function delays(reading: Reading): readonly (readonly [ArrivedEvent, number])[] {
  const late = eventsOf(reading).map(
    (arrived) => arrived.atMs - Date.parse(textOf(arrived.event, 'timestamp')),
  )
  const least = Math.min(...late)
  return eventsOf(reading).map((arrived, index) => [arrived, (late[index] ?? least) - least])
}

function hasCriticals({ main }: Pair): boolean {
  return eventsOf(main).some(({ event }) => isCritical(event))
}

/** Whether subscriptions receive what they agreed on: AAEP §5. */
export const termsChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-CRIT-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'Filters never suppress critical events.',
    judge: (transcript) =>
      judgeEach(
        beside(transcript, 'filtered', 'slow').filter(hasCriticals),
        missingCriticals,
        'No critical event came in.',
      ),
  },
  {
    id: 'L3-CRIT-002',
    level: 3,
    section: 'AAEP §5',
    sentence: 'Rate limits never delay critical events.',
    judge: (transcript) =>
      judgeEach(
        beside(transcript, 'slow', 'filtered').filter(hasCriticals),
        lateCriticals,
        'No critical event came in.',
      ),
  },
  {
    id: 'L3-FILT-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'A subscription receives no event that its filters exclude.',
    judge: (transcript) => {
      const pairs = beside(transcript, 'filtered').filter(({ main, other }) =>
        eventsOf(main).some(({ event }) => !isCritical(event) && !admits(filtersOf(other), typeOf(event))),
      )
      return judgeEach(pairs, unwanted, 'No event came in that the subscription excludes.')
    },
  },
  {
    id: 'L3-FILT-002',
    level: 3,
    section: 'AAEP §5, §8',
    sentence: 'A subscription receives every event that its filters admit.',
    judge: (transcript) => {
      const pairs = beside(transcript, 'filtered', 'slow', 'twin')
      // A slow subscription may not have reached the end yet.
      const done = pairs.filter(({ other }) => other.role !== 'slow' || haveEnded(other))
      return judgeEach(done, lost, whyNone)
    },
  },
  {
    id: 'L3-ORD-001',
    level: 3,
    section: 'AAEP §8',
    sentence: 'Every subscription receives the events of a session in the same order.',
    judge: (transcript) => judgeEach(beside(transcript, 'filtered', 'slow', 'twin'), disorder, whyNone),
  },
  {
    id: 'L3-ISO-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'A slow subscription does not delay one without a limit.',
    judge: (transcript) => {
      const [pair] = beside(transcript, 'slow')
      if (pair === undefined) return notRun(whyNone)
      return judgeEvidence(
        delays(pair.main)
          .filter(([, late]) => late > transcript.toleranceMs)
          .map(([{ event }, late]) =>
            evidenceOn({ where: pair.main.where, event }, '', `It was ${late} ms late.`),
          ),
      )
    },
  },
]
