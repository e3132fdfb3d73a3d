import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dialects } from './dialects/index.ts'
import { foldEntry } from './fold.ts'
import { createSessionState, type SessionState } from './session-state.ts'
import { applyPatch, diffStates, fromSnapshot, type StatePatch, toSnapshot } from './snapshot.ts'
import { anyEntries } from './testing/arbitrary-events.ts'
import { richSession } from './testing/rich-session.ts'
import { runs } from './testing/runs.ts'
import { entriesOf } from './testing/sessions.ts'

/** The states of a session: before any entry, then after each. */
function statesOf(groups: Parameters<typeof entriesOf>[0]): readonly SessionState[] {
  const states = [createSessionState({ id: 'sess_test1' })]
  for (const entry of entriesOf(groups).entries)
    states.push(foldEntry(states.at(-1) ?? createSessionState({ id: 'sess_test1' }), entry))
  return states
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

function expectSame(restored: SessionState, state: SessionState): void {
  expect(throughJson(toSnapshot(restored))).toEqual(throughJson(toSnapshot(state)))
  for (const { encode } of dialects)
    expect(encode.enter(restored, { seq: state.seq }).frames).toEqual(
      encode.enter(state, { seq: state.seq }).frames,
    )
}

describe('snapshots', () => {
  test('a state comes back from its snapshot after every entry', () => {
    for (const state of statesOf(richSession)) expectSame(fromSnapshot(throughJson(toSnapshot(state))), state)
  })

  test('a patch leads from any state to any later one', () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(), fc.nat(), (groups, first, second) => {
        const states = statesOf(groups)
        const [i, j] = [first % states.length, second % states.length].sort((a, b) => a - b)
        const before = states[i ?? 0]
        const after = states[j ?? 0]
        if (before === undefined || after === undefined) throw new Error('out of range')
        expectSame(applyPatch(before, throughJson(diffStates(before, after))), after)
      }),
      { numRuns: runs(100) },
    )
  })

  test('a chain of patches costs what was added, not what is there', () => {
    const piece = 'A sentence of some length. '
    const groups = Array.from({ length: 200 }, () => [
      { kind: 'text-delta', output: 'a', take: 0, text: piece, position: 0, channel: 'answer' } as const,
    ])
    const states = statesOf(groups)
    const patches: StatePatch[] = []
    for (let i = 20; i < states.length; i += 20) {
      const [before, after] = [states[i - 20], states[i]]
      if (before !== undefined && after !== undefined) patches.push(diffStates(before, after))
    }
    const sizes = patches.slice(1).map((patch) => JSON.stringify(patch).length)
    expect(Math.max(...sizes)).toBeLessThan(2 * Math.min(...sizes))
    let state = createSessionState({ id: 'sess_test1' })
    for (const patch of patches) state = applyPatch(state, throughJson(patch))
    expect(throughJson(toSnapshot(state))).toEqual(throughJson(toSnapshot(states[200] ?? state)))
  })
})
