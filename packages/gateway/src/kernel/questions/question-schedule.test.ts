import { expect, test } from 'vitest'
import { scheduleOf } from './question-schedule.ts'

const day = 86_400_000
const terms = { askedAt: 1_000, timeoutMs: 10_000, ownsTimer: false, restoredAt: undefined }

test.each([
  ['closes at its timeout', {}, { deadline: 11_000, closeAt: 11_000, noticesAt: [] }],
  ['has no countdown of a minute', { timeoutMs: 60_000 }, { deadline: 61_000, noticesAt: [] }],
  ['counts down from more than that', { timeoutMs: 60_001 }, { noticesAt: [31_000.5, 55_000.9] }],
  [
    'is asked again after a day without a timeout',
    { timeoutMs: undefined },
    { closeAt: 1_000 + day, noticesAt: [] },
  ],
  ['gives everyone 30 s to come back', { restoredAt: 50_000 }, { deadline: 80_000, closeAt: 80_000 }],
  ['keeps a deadline that is later', { timeoutMs: 100_000, restoredAt: 50_000 }, { deadline: 101_000 }],
  [
    'leaves 30 s of silence to an agent with a timer',
    { ownsTimer: true },
    { deadline: 11_000, closeAt: 41_000 },
  ],
  ['leaves the countdown to it', { ownsTimer: true, timeoutMs: 600_000 }, { noticesAt: [] }],
])('scheduleOf() %s', (_, given, expected) => {
  expect(scheduleOf({ ...terms, ...given })).toMatchObject(expected)
})
