import { type Check, type Evidence, judgeEach } from '../check.ts'
import {
  eventsOf,
  evidenceOn,
  mainReadings,
  mainStories,
  type Story,
  storiesOf,
  terminals,
  textOf,
  typeOf,
} from '../story.ts'
import type { Transcript } from '../transcript.ts'

const whyNone = 'No session came in.'
const whyOpen = 'No session ended in time.'

interface StoryCheck extends Pick<Check<Transcript>, 'id' | 'section' | 'sentence'> {
  /** Whether a session without its end says nothing. */
  readonly isEndNeeded?: true
  find(story: Story): readonly Evidence[]
}

function check({ find, isEndNeeded, ...info }: StoryCheck): Check<Transcript> {
  return {
    ...info,
    level: 1,
    judge: (transcript) =>
      isEndNeeded === true
        ? judgeEach(
            mainStories(transcript).filter(({ hasEnded }) => hasEnded),
            find,
            whyOpen,
          )
        : judgeEach(mainStories(transcript), find, whyNone),
  }
}

function starts({ where, events }: Story): readonly Evidence[] {
  return events.flatMap(({ event }, index) => {
    const isStart = typeOf(event) === 'aaep:agent.session.started'
    if (isStart === (index === 0)) return []
    return [
      evidenceOn(
        { where, event },
        '/type',
        isStart ? 'The session starts again.' : 'The session has not started.',
      ),
    ]
  })
}

function secondTerminals({ where, events }: Story): readonly Evidence[] {
  return events
    .filter(({ event }) => terminals.has(typeOf(event)))
    .slice(1)
    .map(({ event }) => evidenceOn({ where, event }, '/type', 'The session has ended before.'))
}

function afterEnd({ where, events }: Story): readonly Evidence[] {
  const end = events.findIndex(({ event }) => terminals.has(typeOf(event)))
  return events
    .slice(end + 1)
    .filter(({ event }) => !terminals.has(typeOf(event)))
    .map(({ event }) => evidenceOn({ where, event }, '', 'It comes behind the end.'))
}

function goingBack({ where, events }: Story): readonly Evidence[] {
  let latest = Number.NEGATIVE_INFINITY
  return events.flatMap(({ event }) => {
    const at = Date.parse(textOf(event, 'timestamp'))
    const isBack = at < latest
    if (at > latest) latest = at
    return isBack ? [evidenceOn({ where, event }, '/timestamp', 'It is before the event before it.')] : []
  })
}

function numbering({ where, events }: Story): readonly Evidence[] {
  const isNumbered = events.some(({ event }) => event['sequence_number'] !== undefined)
  if (!isNumbered) return []
  return events.flatMap(({ event }, index) =>
    event['sequence_number'] === index
      ? []
      : [evidenceOn({ where, event }, '/sequence_number', `The number would be ${index}.`)],
  )
}

/** The states that the events since the last change imply (AAEP §4.2.1). */
function impliedStates(types: ReadonlySet<string>): ReadonlySet<string> {
  const has = (part: string): boolean => [...types].some((type) => type.includes(part))
  return new Set([
    ...(has('agent.tool.') ? ['calling_tool', 'thinking'] : []),
    ...(has('agent.output.') ? ['writing_output'] : []),
    ...(has('agent.awaiting.') ? ['awaiting_input', 'thinking'] : []),
    ...(has('agent.handoff.') ? ['handing_off'] : []),
  ])
}

function brokenChains({ where, events }: Story): readonly Evidence[] {
  let state = 'idle'
  const since = new Set<string>()
  return events.flatMap(({ event }) => {
    const type = typeOf(event)
    if (type !== 'aaep:agent.state.changed') {
      since.add(type)
      return []
    }
    const from = textOf(event, 'from_state')
    const isChained = from === state || impliedStates(since).has(from)
    state = textOf(event, 'to_state')
    since.clear()
    return isChained ? [] : [evidenceOn({ where, event }, '/from_state', 'The last change led elsewhere.')]
  })
}

/** The order of events in a session: AAEP §4.5 and Appendix A. */
export const sequenceChecks: readonly Check<Transcript>[] = [
  {
    id: 'L1-RUN-001',
    level: 1,
    section: 'AAEP §2',
    sentence: 'Every trigger starts a session.',
    judge: ({ runs }) =>
      judgeEach(
        runs,
        ({ purpose, readings, failure = 'No event came in.' }) =>
          readings.some((reading) => eventsOf(reading).length > 0)
            ? []
            : [{ where: purpose, detail: failure }],
        'Nothing was triggered.',
      ),
  },
  check({
    id: 'L1-SEQ-001',
    section: 'AAEP §4.1.1',
    sentence: 'A session begins with session.started, which occurs only once.',
    find: starts,
  }),
  check({
    id: 'L1-SEQ-002',
    section: 'AAEP §4.1, §4.5',
    sentence: 'A session ends only once.',
    find: secondTerminals,
    isEndNeeded: true,
  }),
  check({
    id: 'L1-SEQ-003',
    section: 'AAEP §4.5',
    sentence: 'Nothing follows the end of a session.',
    find: afterEnd,
    isEndNeeded: true,
  }),
  check({
    id: 'L1-SEQ-004',
    section: 'AAEP §3.2',
    sentence: 'Timestamps do not decrease within a session.',
    find: goingBack,
  }),
  {
    id: 'L1-SEQ-005',
    level: 1,
    section: 'AAEP §3.2',
    sentence: 'If any event is numbered, all are, from 0 and without gaps.',
    judge: (transcript) => {
      const numbered = mainReadings(transcript)
        .flatMap(storiesOf)
        .filter(({ events }) => events.some(({ event }) => event['sequence_number'] !== undefined))
      return judgeEach(numbered, numbering, 'The producer does not number its events.')
    },
  },
  {
    id: 'L1-SEQ-006',
    level: 1,
    section: 'AAEP §4.2.1',
    sentence: 'Each state change starts where the previous one ended; the first starts at idle.',
    judge: (transcript) =>
      judgeEach(
        mainStories(transcript).filter(({ events }) =>
          events.some(({ event }) => typeOf(event) === 'aaep:agent.state.changed'),
        ),
        brokenChains,
        'No change of state came in.',
      ),
  },
]
