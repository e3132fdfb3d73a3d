import type { JsonObject } from '@sluice/protocol'
import { type Check, type Evidence, judgeEvidence, notRun } from '../check.ts'
import { eventsOf, evidenceOn, landmarkOf, otherTexts, readingIn, runOf, textOf, typeOf } from '../story.ts'
import type { ArrivedEvent, Reading, Transcript } from '../transcript.ts'

const whyNone = 'No subscription could be taken up again.'

interface Resumption {
  readonly cut: Reading
  readonly main: Reading
}

function resumptionIn(transcript: Transcript): Resumption | undefined {
  const run = runOf(transcript, 'accept')
  const cut = readingIn(run, 'cut')
  const main = readingIn(run, 'main')
  const isResumed = cut?.items.some((item) => item.kind === 'resumed' && item.isTaken) === true
  return cut !== undefined && main !== undefined && isResumed ? { cut, main } : undefined
}

function missing({ cut, main }: Resumption): readonly Evidence[] {
  // If neither stream coalesces events, the ids are the same and no event at all may be missing.
  const ids = new Set(eventsOf(main).map(({ event }) => textOf(event, 'event_id')))
  const isAlike = eventsOf(cut).every(({ event }) => ids.has(textOf(event, 'event_id')))
  const keyOf = ({ event }: ArrivedEvent): string | undefined =>
    isAlike ? textOf(event, 'event_id') : landmarkOf(event)
  const there = new Set(eventsOf(cut).map(keyOf))
  const events = eventsOf(main)
    .filter((arrived) => keyOf(arrived) !== undefined && !there.has(keyOf(arrived)))
    .map(({ event }) => evidenceOn({ where: cut.where, event }, '', 'It did not come here.'))
  return [...events, ...otherTexts(main, withoutRepetitions(cut))]
}

/** L3-RES-002 judges repetitions. */
function withoutRepetitions(reading: Reading): Reading {
  const seen = new Set<string>()
  const items = reading.items.filter((item) => {
    if (item.kind !== 'event') return true
    const id = textOf(item.event, 'event_id')
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
  return { ...reading, items }
}

function repeated({ cut, main }: Resumption): readonly Evidence[] {
  const count = (reading: Reading): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { event } of eventsOf(reading)) {
      const id = textOf(event, 'event_id')
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  }
  // L1-IDS-001 judges an id that the producer itself uses twice.
  const usual = count(main)
  const excessive = new Set(
    [...count(cut)].flatMap(([id, times]) => (times > (usual.get(id) ?? 1) ? [id] : [])),
  )
  return eventsOf(cut)
    .filter(({ event }) => excessive.delete(textOf(event, 'event_id')))
    .map(({ event }) =>
      evidenceOn({ where: cut.where, event }, '/event_id', 'It comes again behind the break.'),
    )
}

/** Whether the event is part of the ordinary stream, and so not the state that was expected. */
function isOrdinary(event: JsonObject, main: Reading | undefined): boolean {
  const id = event['event_id']
  return main !== undefined && eventsOf(main).some((arrived) => arrived.event['event_id'] === id)
}

export const resumeChecks: readonly Check<Transcript>[] = [
  {
    id: 'L3-RES-001',
    level: 3,
    section: 'AAEP §8, Appendix B',
    sentence: 'A resumed subscription misses no events.',
    judge: (transcript) => {
      const found = resumptionIn(transcript)
      return found === undefined ? notRun(whyNone) : judgeEvidence(missing(found))
    },
  },
  {
    id: 'L3-RES-002',
    level: 3,
    section: 'AAEP Appendix B',
    sentence: 'A resumed subscription receives no event twice.',
    judge: (transcript) => {
      const found = resumptionIn(transcript)
      return found === undefined ? notRun(whyNone) : judgeEvidence(repeated(found))
    },
  },
  {
    id: 'L3-RES-003',
    level: 3,
    section: 'AAEP Appendix B',
    sentence: 'A subscription that resumes after an unknown event id first receives the current state.',
    judge: (transcript) => {
      const run = runOf(transcript, 'reject')
      const lost = readingIn(run, 'lost')
      const main = readingIn(run, 'main')
      const isTaken = lost?.items.some((item) => item.kind === 'resumed' && item.isTaken) === true
      const [first] = lost === undefined ? [] : eventsOf(lost)
      if (lost === undefined || !isTaken || first === undefined) return notRun(whyNone)
      return judgeEvidence(
        typeOf(first.event) === 'aaep:agent.state.changed' && !isOrdinary(first.event, main)
          ? []
          : [
              evidenceOn(
                { where: lost.where, event: first.event },
                '/type',
                'The first event tells no state.',
              ),
            ],
      )
    },
  },
]
