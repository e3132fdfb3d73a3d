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

/** The unlimited subscription of the first run beside another one. */
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

/** Events after the end of a session are a breach of their own. */
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
    .map(([, { event }]) => evidenceOn(other.where, event, '', 'It did not come here.'))
}

function lateCriticals({ main, other, transcript }: Pair): readonly Evidence[] {
  const there = landmarksOf(other)
  return [...landmarksOf(main)].flatMap(([landmark, { event, atMs }]) => {
    const late = (there.get(landmark)?.atMs ?? atMs) - atMs
    return isCritical(event) && late > transcript.toleranceMs
      ? [evidenceOn(other.where, event, '', `It came ${late} ms later than elsewhere.`)]
      : []
  })
}

function unwanted({ other }: Pair): readonly Evidence[] {
  return eventsOf(other)
    .filter(({ event }) => !isCritical(event) && !admits(filtersOf(other), typeOf(event)))
    .map(({ event }) => evidenceOn(other.where, event, '/type', 'The subscription excludes it.'))
}

/** Changes of state tell the outcome of a question and may come in spite of a filter; here none excludes them. */
function lost({ main, other }: Pair): readonly Evidence[] {
  const there = landmarksOf(other)
  return [...landmarksOf(main)]
    .filter(
      ([landmark, { event }]) =>
        !isCritical(event) && admits(filtersOf(other), typeOf(event)) && !there.has(landmark),
    )
    .map(([, { event }]) => evidenceOn(other.where, event, '', 'It did not come here.'))
}

function disorder({ main, other }: Pair): readonly Evidence[] {
  const order = [...landmarksOf(main).keys()]
  let last = -1
  return [...landmarksOf(other)].flatMap(([landmark, { event }]) => {
    const at = order.indexOf(landmark)
    const isBehind = at >= 0 && at < last
    if (at > last) last = at
    return isBehind ? [evidenceOn(other.where, event, '', 'It comes behind what follows it elsewhere.')] : []
  })
}

/** How late each event was, beyond the quickest one: so clocks need not agree. */
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

/** What a subscription gets on its terms: AAEP §5. */
export const termsChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-CRIT-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'No filter keeps a critical event away.',
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
    sentence: 'No limit holds a critical event back.',
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
    sentence: 'What a subscription excludes does not come.',
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
    sentence: 'What a subscription does not exclude comes.',
    judge: (transcript) => {
      const pairs = beside(transcript, 'filtered', 'slow', 'twin')
      // What is slow by agreement may not have come so far.
      const done = pairs.filter(({ other }) => other.role !== 'slow' || haveEnded(other))
      return judgeEach(done, lost, whyNone)
    },
  },
  {
    id: 'L3-ORD-001',
    level: 3,
    section: 'AAEP §8',
    sentence: 'Within a session every subscription sees the same order.',
    judge: (transcript) => judgeEach(beside(transcript, 'filtered', 'slow', 'twin'), disorder, whyNone),
  },
  {
    id: 'L3-ISO-001',
    level: 3,
    section: 'AAEP §5',
    sentence: 'A slow subscription does not hold up one without a limit.',
    judge: (transcript) => {
      const [pair] = beside(transcript, 'slow')
      if (pair === undefined) return notRun(whyNone)
      return judgeEvidence(
        delays(pair.main)
          .filter(([, late]) => late > transcript.toleranceMs)
          .map(([{ event }, late]) => evidenceOn(pair.main.where, event, '', `It was ${late} ms late.`)),
      )
    },
  },
]
