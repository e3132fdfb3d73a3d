import { expect, test } from 'vitest'
import { describeConnection } from './describe-connection.ts'

test.each([
  ['connecting', {}, 'Connecting'],
  ['catching-up', { behind: 1240 }, 'Catching up, 1\u00a0240 behind'],
  ['catching-up', {}, 'Catching up'],
  ['live', {}, 'Live'],
  ['live', { isBack: true }, 'Reconnected'],
  ['offline', {}, 'Offline'],
  ['waiting', { untilMs: 4200 }, 'Offline, trying again in 4 s'],
  ['waiting', { untilMs: 0 }, 'Offline, trying again'],
  ['ended', {}, 'Complete'],
] as const)('a connection that is %s with %j is told as %s', (status, more, words) => {
  const {
    behind = 0,
    untilMs = undefined,
    isBack = false,
  } = { ...more } as {
    behind?: number
    untilMs?: number
    isBack?: boolean
  }
  expect(describeConnection({ status, behind, untilMs }, { isBack, nowMs: 1000 })).toBe(words)
})
