import type { OutlineRow } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { createColumns } from '../outline/growing-columns.ts'
import { createFilteredRows, type Group } from './timeline-filter.ts'

const rows: readonly Omit<OutlineRow, 'seq'>[] = [
  { at: 0, direction: 'event', kinds: ['session-start'], characters: 0, findings: 0 },
  { at: 1, direction: 'event', kinds: ['text-delta'], characters: 5, findings: 0 },
  { at: 2, direction: 'event', kinds: ['text-delta'], characters: 5, findings: 2 },
  {
    at: 3,
    direction: 'event',
    kinds: ['tool-call'],
    characters: 0,
    findings: 0,
    calls: [{ call: 'c', tool: 't' }],
  },
  {
    at: 9,
    direction: 'event',
    kinds: ['tool-result'],
    characters: 0,
    findings: 0,
    level: 'error',
    calls: [{ call: 'c', tool: 't', status: 'error' }],
  },
  { at: 9, direction: 'system', kinds: ['question-open'], characters: 0, findings: 0 },
]

function fill(count: number) {
  const columns = createColumns()
  for (let seq = 0; seq < count; seq++) {
    const row = rows[seq % rows.length]
    if (row !== undefined) columns.push({ ...row, seq })
  }
  return columns
}

describe('createFilteredRows()', () => {
  test.each<[Group, readonly number[]]>([
    ['all', [0, 1, 2, 3, 4, 5]],
    ['text', [1, 2]],
    ['tools', [3, 4]],
    ['questions', [5]],
    ['progress', [0]],
    ['problems', [4]],
    ['findings', [2]],
  ])('%s', (group, seqs) => {
    const filtered = createFilteredRows(fill(6), group)
    filtered.update()
    expect(Array.from({ length: filtered.count }, (_, row) => filtered.seqAt(row))).toEqual(seqs)
  })

  test('finds the row of an entry, or of the next one in the group', () => {
    const filtered = createFilteredRows(fill(12), 'tools')
    filtered.update()
    expect([0, 3, 4, 5, 9, 11].map((seq) => filtered.rowOf(seq))).toEqual([0, 0, 1, 2, 2, 4])
  })
})

test('columns grow beyond their first size, and join the two ends of a call', () => {
  const columns = fill(6000)
  expect(columns.count).toBe(6000)
  expect(columns.at[5999]).toBe(9)
  expect(columns.shapes).toHaveLength(5)
  expect(columns.calls).toHaveLength(1000)
  expect(columns.calls[0]).toEqual({
    call: 'c',
    tool: 't',
    seq: 3,
    at: 3,
    endSeq: 4,
    endAt: 9,
    status: 'error',
  })
})
