import type { SluiceEvent } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { createMatcher } from './search-entries.ts'

const piece = (text: string, output = 'o'): readonly SluiceEvent[] => [
  { kind: 'text-delta', output, take: 0, text, position: 0, channel: 'answer' },
]
const tool: readonly SluiceEvent[] = [
  { kind: 'tool-call', call: 'c', tool: 'search', args: { deep: [{ q: 'Évora 42' }] } },
]

function found(text: string, entries: readonly (readonly SluiceEvent[])[]): readonly number[] {
  const match = createMatcher(text)
  return entries.flatMap((events, seq) => (match({ events }) ? [seq] : []))
}

describe('createMatcher()', () => {
  test('finds text whatever its case, also across pieces', () => {
    expect(found('hello world', [piece('Hel'), piece('lo W'), piece('orld'), piece('!')])).toEqual([2])
    expect(found('l', [piece('Hel'), piece('lo')])).toEqual([0, 1])
  })

  test('does not join the pieces of different texts', () => {
    expect(found('ab', [piece('a', 'one'), piece('b', 'two')])).toEqual([])
  })

  test('does not find a text again in the piece behind it', () => {
    expect(found('ab', [piece('ab'), piece('c')])).toEqual([0])
  })

  test('looks into arguments and results', () => {
    expect(found('évora', [tool])).toEqual([0])
    expect(found('42', [tool])).toEqual([0])
    expect(found('nothing', [tool])).toEqual([])
  })
})
