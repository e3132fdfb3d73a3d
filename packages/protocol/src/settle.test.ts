import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SluiceEvent } from './events.ts'
import { createSessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { anyEntries } from './testing/arbitrary-events.ts'
import { runs } from './testing/runs.ts'

const start: SluiceEvent = { kind: 'session-start' }
const fresh = createSessionState({ id: 'sess_1' })

function delta(text: string, output = 'a'): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' }
}

function shape(events: readonly SluiceEvent[]): string[] {
  return events.map((event) => (event.meta?.implied === true ? `(${event.kind})` : event.kind))
}

describe('settle()', () => {
  test('opens a session that begins with something else', () => {
    expect(shape(settle(fresh, [delta('Hi')]).events)).toEqual(['(session-start)', 'text-delta'])
  })

  test('gives each delta its position in code points', () => {
    const { events } = settle(fresh, [start, delta('a👍'), delta('b'), delta('c')])
    expect(events.slice(1).map((event) => event.kind === 'text-delta' && event.position)).toEqual([0, 2, 3])
  })

  test('turns text after the end of an output into its next take', () => {
    const { events } = settle(fresh, [
      start,
      delta('one'),
      { kind: 'text-end', output: 'a', take: 0 },
      delta('two'),
    ])
    expect(shape(events)).toEqual(['session-start', 'text-delta', 'text-end', '(text-reset)', 'text-delta'])
    expect(events.at(-1)).toMatchObject({ take: 1, position: 0 })
  })

  test('holds the first half of a surrogate pair for the next delta', () => {
    const { events } = settle(fresh, [start, delta('x\ud83d'), delta('\ude00y')])
    expect(events.slice(1)).toMatchObject([
      { text: 'x', held: '\ud83d' },
      { text: '😀y', position: 1, joins: true },
    ])
  })

  test('replaces half a character whose other half never comes', () => {
    const { events } = settle(fresh, [start, delta('x\ud83d'), { kind: 'session-end', outcome: 'completed' }])
    expect(shape(events)).toEqual([
      'session-start',
      'text-delta',
      '(text-delta)',
      '(text-end)',
      'session-end',
    ])
    expect(events[2]).toMatchObject({ text: '\ufffd', position: 1 })
  })

  test('closes everything that is open before the end', () => {
    const { events } = settle(fresh, [
      start,
      delta('text'),
      { kind: 'tool-call', call: 'c', tool: 't' },
      { kind: 'question-open', question: 'clarification', token: 'q', text: 'Which?' },
      { kind: 'session-end', outcome: 'failed' },
    ])
    expect(shape(events.slice(4))).toEqual(['(question-close)', '(tool-result)', '(text-end)', 'session-end'])
    expect(events.at(-2)).toMatchObject({ interrupted: true })
  })

  test('gives a result without a call the call that it implies', () => {
    const result: SluiceEvent = { kind: 'tool-result', call: 'c', tool: 't', status: 'success' }
    expect(shape(settle(fresh, [start, result]).events)).toEqual([
      'session-start',
      '(tool-call)',
      'tool-result',
    ])
  })

  test('renames the second use of the id of a finished call', () => {
    const call: SluiceEvent = { kind: 'tool-call', call: 'c', tool: 't' }
    const result: SluiceEvent = { kind: 'tool-result', call: 'c', tool: 't', status: 'success' }
    const { events } = settle(fresh, [start, call, result, call, result])
    expect(events.slice(3)).toMatchObject([{ call: 'c.2' }, { call: 'c.2' }])
  })

  test('keeps what thinks aloud apart from the answer of the same id', () => {
    const thought: SluiceEvent = {
      kind: 'text-delta',
      output: 'a',
      take: 0,
      position: 0,
      text: '?',
      channel: 'reasoning',
    }
    expect(settle(fresh, [start, delta('x'), thought]).events.at(-1)).toMatchObject({ output: 'a.reasoning' })
  })

  test('keeps ids apart that differ only in half a character', () => {
    const { events } = settle(fresh, [
      start,
      delta('x', '\ud83d'),
      delta('y', '\ude00'),
      delta('z', '\ud83d'),
    ])
    expect(events.slice(1)).toMatchObject([
      { output: '\ufffdd83d', position: 0 },
      { output: '\ufffdde00', position: 0 },
      { output: '\ufffdd83d', position: 1 },
    ])
  })

  test('lets nothing pass after the end', () => {
    const end: SluiceEvent = { kind: 'session-end', outcome: 'completed' }
    expect(shape(settle(fresh, [start, end, delta('late'), end]).events)).toEqual([
      'session-start',
      'session-end',
    ])
  })

  test('leaves settled events as they are', () => {
    fc.assert(
      fc.property(anyEntries, (groups) => {
        let once = fresh
        let twice = fresh
        for (const group of groups) {
          const settled = settle(once, group)
          const again = settle(twice, settled.events)
          expect(again.events).toEqual(settled.events)
          once = settled.state
          twice = again.state
        }
        expect(twice).toEqual(once)
      }),
      { numRuns: runs(300) },
    )
  })
})
