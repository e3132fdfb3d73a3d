import { expect, test } from 'vitest'
import { dialectById } from './dialects/index.ts'
import { admit, createIntake, type Intake, parseFrame } from './intake.ts'
import { createSessionState } from './session-state.ts'
import { growingSessions } from './testing/growth.ts'
import { runs } from './testing/runs.ts'

const sluice = dialectById('sluice')
const isSoak = runs(1) > 1
/** The entries of a long session: past every limit of the window. */
const longEntries = isSoak ? 100_000 : 10_000
const measuredFrames = 50
const attempts = isSoak ? 100 : 30
/** A session that copied what it has would exceed this ten times over. */
const maxGrowth = isSoak ? 2 : 3
/** Below this, the resolution of the clock and the caches of the processor decide. */
const leastMicroseconds = 10

type Frames = Parameters<typeof admit>[1][]

function framesOf(eventsOf: (n: number) => readonly unknown[], first: number, count: number): Frames {
  return Array.from({ length: count }, (_, n) => {
    const parsed = parseFrame(JSON.stringify({ events: eventsOf(first + n) }))
    if (!parsed.ok) throw new Error('unreachable')
    return parsed.frame
  })
}

function admitAll(before: Intake, frames: Frames): Intake {
  let intake = before
  for (const frame of frames) intake = admit(intake, frame, { dialect: sluice, at: 0 }).intake
  return intake
}

test.each(Object.entries(growingSessions))('no event costs more as a session grows: %s', (_, eventsOf) => {
  const empty = createIntake(createSessionState({ id: 'sess_1' }))
  const sessions = [1000, longEntries].map((entries) => ({
    intake: admitAll(empty, framesOf(eventsOf, 0, entries)),
    next: framesOf(eventsOf, entries, measuredFrames),
    least: Number.POSITIVE_INFINITY,
  }))
  // Intakes never change, so the same frames can follow again and again. In turns, because another process makes an
  // attempt slower, never faster.
  for (let attempt = 0; attempt < attempts; attempt++)
    for (const session of sessions) {
      const before = process.cpuUsage()
      admitAll(session.intake, session.next)
      const { user, system } = process.cpuUsage(before)
      session.least = Math.min(session.least, (user + system) / measuredFrames)
    }
  const [short = 0, long = 0] = sessions.map(({ least }) => least)
  expect(long).toBeLessThanOrEqual(Math.max(short * maxGrowth, leastMicroseconds))
})
