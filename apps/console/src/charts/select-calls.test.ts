import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callDuration, selectCalls } from './select-calls.ts'
import { sampleCall } from './testing/sample-calls.ts'

const anyCalls = fc
  .array(fc.record({ at: fc.nat(1000), durationMs: fc.option(fc.nat(50), { nil: undefined }) }))
  .map((spans) => spans.map(({ at, durationMs }, seq) => sampleCall({ seq, at, durationMs })))

describe('selectCalls()', () => {
  test('keeps as many as fit, none of them shorter than one left out, in order of start', () => {
    fc.assert(
      fc.property(anyCalls, fc.integer({ min: 1, max: 20 }), (calls, limit) => {
        const selected = selectCalls(calls, 1000, limit)
        expect(new Set(selected).size).toBe(Math.min(limit, calls.length))
        expect(selected).toEqual([...selected].sort((a, b) => a.at - b.at || a.seq - b.seq))
        const shortest = Math.min(...selected.map((call) => callDuration(call, 1000)))
        for (const call of calls)
          if (!selected.includes(call)) expect(callDuration(call, 1000)).toBeLessThanOrEqual(shortest)
      }),
    )
  })

  test('takes the earlier of equally long calls', () => {
    const calls = [
      sampleCall({ seq: 0, at: 0, durationMs: 5 }),
      sampleCall({ seq: 2, at: 1, durationMs: 9 }),
      sampleCall({ seq: 4, at: 2, durationMs: 5 }),
      sampleCall({ seq: 6, at: 3, durationMs: 5 }),
    ]
    expect(selectCalls(calls, 10, 3).map(({ seq }) => seq)).toEqual([0, 2, 4])
  })

  test('leaves the given list as it is', () => {
    const calls = [sampleCall({ seq: 2, at: 9, durationMs: 5 }), sampleCall({ seq: 0, at: 1, durationMs: 5 })]
    expect(selectCalls(calls, 10, 5).map(({ seq }) => seq)).toEqual([0, 2])
    expect(calls.map(({ seq }) => seq)).toEqual([2, 0])
  })
})

test.each([
  [sampleCall({ seq: 0, at: 10, durationMs: 5 }), 5],
  [sampleCall({ seq: 0, at: 10 }), 90],
  [sampleCall({ seq: 0, at: 200 }), 0],
  [sampleCall({ seq: 0, at: Number.NaN }), 0],
])('callDuration() of %j until 100 is %d', (call, durationMs) => {
  expect(callDuration(call, 100)).toBe(durationMs)
})
