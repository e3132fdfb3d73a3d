import { beforeAll, describe, expect, test } from 'vitest'
import { startCursor } from './cursor.ts'
import type { Dialect } from './dialect.ts'
import { dialectById, dialects } from './dialects/index.ts'
import type { Entry } from './entry.ts'
import { admit, createIntake, type Intake, parseFrame } from './intake.ts'
import { createSessionState } from './session-state.ts'
import { growingSessions } from './testing/growth.ts'
import { runs } from './testing/runs.ts'

const isSoak = runs(1) > 1
/** The lengths of a session at which the next entries are measured; the last is past every limit of the window. */
const lengths = isSoak ? [1000, 10_000, 100_000] : [500, 5000]
const measured = 50
const attempts = isSoak ? 100 : 15
/** A session that copied what it has would exceed this ten times over. */
const maxGrowth = isSoak ? 2 : 3
/** Below this, the resolution of the clock and the caches of the processor decide. */
const leastMicroseconds = 10

const total = Math.max(...lengths) + measured
const empty = createSessionState({ id: 'sess_1' })

type Frame = Parameters<typeof admit>[1]

function toFrame(text: string): Frame {
  const parsed = parseFrame(text)
  if (!parsed.ok) throw new Error('unreachable')
  return parsed.frame
}

/** Steps through all items, and expects that the next steps after each length take equally long. */
function expectNoGrowth<S, T>(initial: S, items: readonly T[], step: (state: S, item: T) => S): void {
  const samples: { readonly from: number; readonly state: S; least: number }[] = []
  let state = initial
  for (const [index, item] of items.entries()) {
    // Some items may be left out of a session, so its length is a share of all items.
    if (lengths.some((length) => index === Math.floor((length / total) * items.length)))
      samples.push({ from: index, state, least: Number.POSITIVE_INFINITY })
    state = step(state, item)
  }
  // States never change, so the same items can follow again and again. In turns, because another process makes
  // an attempt slower, never faster.
  for (let attempt = 0; attempt < attempts; attempt++)
    for (const sample of samples) {
      const next = items.slice(sample.from, sample.from + measured)
      const before = process.cpuUsage()
      next.reduce(step, sample.state)
      const { user, system } = process.cpuUsage(before)
      sample.least = Math.min(sample.least, (user + system) / next.length)
    }
  const [first = 0, ...later] = samples.map(({ least }) => least)
  expect(later).toHaveLength(lengths.length - 1)
  for (const least of later) expect(least).toBeLessThanOrEqual(Math.max(first * maxGrowth, leastMicroseconds))
}

const read =
  (dialect: Dialect) =>
  (intake: Intake, frame: Frame): Intake =>
    admit(intake, frame, { dialect, at: 0 }).intake

describe.each(Object.entries(growingSessions))(
  'no event costs more as a session grows: %s',
  (name, eventsOf) => {
    // All dialects in the soak, otherwise a third of them.
    const turn = Object.keys(growingSessions).indexOf(name)
    let entries: Entry[]
    beforeAll(() => {
      let intake = createIntake(empty)
      entries = []
      for (let n = 0; n < total; n++) {
        const receipt = { dialect: dialectById('sluice'), at: 0 }
        const admission = admit(intake, toFrame(JSON.stringify({ events: eventsOf(n) })), receipt)
        intake = admission.intake
        // Only a bounded number of things may be open.
        if (admission.ok) entries.push(admission.entry)
      }
    })

    test('told in events', () => {
      const frames = Array.from({ length: total }, (_, n) => toFrame(JSON.stringify({ events: eventsOf(n) })))
      expectNoGrowth(createIntake(empty), frames, read(dialectById('sluice')))
    })

    test.each(dialects.filter((_, index) => isSoak || index % 3 === turn % 3))(
      'written and read as $id',
      (dialect) => {
        const { encode } = dialect
        const { state } = encode.enter(empty, startCursor)
        expectNoGrowth(state, entries, (before, entry) => encode.step(before, entry).state)
        let writing = state
        const frames = entries.flatMap((entry) => {
          const encoded = encode.step(writing, entry)
          writing = encoded.state
          return encoded.frames.map(({ data }) => toFrame(data))
        })
        // A dialect that cannot express the kind writes nothing that could grow.
        if (frames.length > measured) expectNoGrowth(createIntake(empty), frames, read(dialect))
      },
    )
  },
)
