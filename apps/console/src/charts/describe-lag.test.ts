import { expect, test } from 'vitest'
import { bucketLag } from './bucket-lag.ts'
import { describeLag } from './describe-lag.ts'
import { plainSpaces } from './testing/plain-spaces.ts'
import { sampleColumns } from './testing/sample-columns.ts'

const noLive = 'From the log to this page: no event came live yet.'
const noTimes = 'From the agent to the log: unknown, no event says when it was sent.'

test.each([
  [[], [], `${noLive} ${noTimes}`],
  [[12], [], `From the log to this page: 1 event, 12 ms late. ${noTimes}`],
  [
    [],
    [1, 2, 80, 3],
    `${noLive} From the agent to the log: half within 2 ms, 95 % within 80 ms, all 4 events within 80 ms.`,
  ],
  [
    [5, -3000, 40],
    [],
    `From the log to this page: half within 5 ms, 95 % within 40 ms, all 3 events within 40 ms. By the clocks 1 event came up to 3 s before being sent: they differ. ${noTimes}`,
  ],
  [
    [-5],
    [],
    `From the log to this page: 1 event, 0 ms late. By the clocks 1 event came up to 5 ms before being sent: they differ. ${noTimes}`,
  ],
])('describeLag() of the lags %j and the delays %j', (lags, delays, sentence) => {
  const samples = lags.map((lagMs, seq) => ({ seq, at: seq, lagMs }))
  const columns = sampleColumns(delays.map((delayMs, at) => ({ at, delayMs })))
  expect(plainSpaces(describeLag(bucketLag(samples, columns)))).toBe(sentence)
})
