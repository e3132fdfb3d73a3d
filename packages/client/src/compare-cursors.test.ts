import { parseCursor } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { compareCursors } from './compare-cursors.ts'

describe('compareCursors()', () => {
  const inOrder = [
    '-1',
    '0.0',
    '0.0.aaep.1',
    '0.0.aaep.2',
    '0.0.e1',
    '0.0.e1.aaep.1',
    '0.0.e2',
    '0.1',
    '0.1.aaep.1',
    '0.10',
    '0',
    '1.0',
    '1',
    '10',
  ].map(parseCursor)

  test('orders places inside an entry before the whole of it', () => {
    for (const [i, a] of inOrder.entries())
      for (const [j, b] of inOrder.entries()) expect(Math.sign(compareCursors(a, b))).toBe(Math.sign(i - j))
  })

  test('takes no frames for the same as none told', () => {
    expect(compareCursors(parseCursor('3.1.aaep.0'), parseCursor('3.1'))).toBe(0)
  })
})
