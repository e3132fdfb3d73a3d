import { describe, expect, test } from 'vitest'
import { callState, describeCall, describeCalls, formatTool } from './describe-calls.ts'
import { plainSpaces } from './testing/plain-spaces.ts'
import { sampleCall } from './testing/sample-calls.ts'

const { status, ...withoutStatus } = sampleCall({ seq: 0, at: 0, durationMs: 4200 })
const failed = sampleCall({ seq: 0, at: 0, durationMs: 4200 }, { status: 'error' })
const late = sampleCall({ seq: 2, at: 0, durationMs: 30_000 }, { status: 'timeout', tool: 'search' })
const running = sampleCall({ seq: 4, at: 8000 })

test.each([
  [sampleCall({ seq: 0, at: 0, durationMs: 50 }), 'success', '50 ms, succeeded'],
  [failed, 'error', '4.2 s, failed'],
  [late, 'timeout', '30 s, timed out'],
  [withoutStatus, 'ended', '4.2 s, ended'],
  [running, 'running', 'running, 12 s so far'],
])('%j is told', (call, state, words) => {
  expect(callState(call)).toBe(state)
  expect(plainSpaces(describeCall(call, 20_000))).toBe(words)
})

test.each([
  ['search', 'search'],
  [' ', 'unnamed tool'],
  ['a'.repeat(80), 'a'.repeat(80)],
  ['👍'.repeat(81), `${'👍'.repeat(79)}…`],
  ['x'.repeat(1e6), `${'x'.repeat(79)}…`],
])('formatTool() bounds a name', (tool, expected) => {
  expect(formatTool(sampleCall({ seq: 0, at: 0, durationMs: 0 }, { tool }))).toBe(expected)
})

describe('describeCalls()', () => {
  test.each([
    [[], 'No tool calls yet.'],
    [[failed], '1 tool call: tool_0, 4.2 s, failed.'],
    [[running], '1 tool call: tool_4, running, 12 s so far.'],
    [
      [running, failed, late, failed],
      '4 tool calls: 2 failed, 1 timed out, 1 running. The longest: search, 30 s, timed out.',
    ],
  ])('of %j', (calls, sentence) => {
    expect(plainSpaces(describeCalls(calls, 20_000, calls.length))).toBe(sentence)
  })

  test('says how many are shown when not all are', () => {
    expect(plainSpaces(describeCalls([late, failed, running], 20_000, 2))).toBe(
      '3 tool calls: 1 failed, 1 timed out, 1 running. The longest: search, 30 s, timed out. Shown are the 2 longest.',
    )
  })
})
