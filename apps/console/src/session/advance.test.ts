import { expect, test } from 'vitest'
import { advance } from './advance.ts'

const at = [0, 100, 100, 400, 60_000]

test.each([
  ['waits for the next entry', { seq: 0, spentMs: 0 }, 50, { seq: 0, spentMs: 50 }],
  ['takes all entries of one moment', { seq: 0, spentMs: 50 }, 50, { seq: 2, spentMs: 0 }],
  ['keeps what is left of a step', { seq: 0, spentMs: 0 }, 250, { seq: 2, spentMs: 150 }],
  ['cuts long pauses short', { seq: 3, spentMs: 0 }, 1500, { seq: 4, spentMs: 0 }],
  ['stops at the last entry', { seq: 4, spentMs: 0 }, 9000, { seq: 4, spentMs: 9000 }],
])('advance() %s', (_, from, ms, to) => expect(advance({ at, last: 4 }, from, ms)).toEqual(to))
