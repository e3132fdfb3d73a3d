import type { EventKind } from '@sluice/protocol'
import type { EntryShape, GrowingColumns } from '../outline/growing-columns.ts'

/** Groups of event kinds that a person may look for. */
export const groups = {
  all: 'Everything',
  text: 'Text',
  tools: 'Tools',
  questions: 'Questions',
  progress: 'Progress',
  problems: 'Problems',
  findings: 'Findings',
} as const

export type Group = keyof typeof groups

const kindsOf: Readonly<Partial<Record<Group, readonly EventKind[]>>> = {
  text: ['text-delta', 'text-end', 'text-reset', 'message', 'part-add', 'sources'],
  tools: ['tool-call', 'tool-call-delta', 'tool-result'],
  questions: ['question-open', 'question-close', 'handoff'],
  progress: ['session-start', 'session-end', 'state-change', 'progress', 'usage', 'notice'],
}

/** The entries of a group, by number. Grows with the columns, and checks each entry once. */
export interface FilteredRows {
  readonly count: number
  /** The number of the entry in this row. */
  seqAt(row: number): number
  /** The row of this entry, or of the next one in the group. */
  rowOf(seq: number): number
  update(): void
}

export function createFilteredRows(columns: GrowingColumns, group: Group): FilteredRows {
  if (group === 'all')
    return {
      get count() {
        return columns.count
      },
      seqAt: (row) => row,
      rowOf: (seq) => seq,
      update: () => {},
    }
  const seqs: number[] = []
  const wanted: boolean[] = []
  const isShapeIn = (shape: number): boolean => {
    wanted[shape] ??= isWanted(columns.shapes[shape], group)
    return wanted[shape] === true
  }
  let looked = 0
  return {
    get count() {
      return seqs.length
    },
    seqAt: (row) => seqs[row] ?? -1,
    rowOf: (seq) => placeOf(seq, seqs),
    update() {
      for (; looked < columns.count; looked++) {
        const shape = columns.shape[looked] ?? 0
        const isIn = group === 'findings' ? (columns.findings[looked] ?? 0) > 0 : isShapeIn(shape)
        if (isIn) seqs.push(looked)
      }
    },
  }
}

/** The entries found by a search. */
export function createFoundRows(found: readonly number[]): FilteredRows {
  return {
    count: found.length,
    seqAt: (row) => found[row] ?? -1,
    rowOf: (seq) => placeOf(seq, found),
    update: () => {},
  }
}

/** The index of a number in a sorted list, or of the next larger one. */
function placeOf(seq: number, seqs: readonly number[]): number {
  let low = 0
  let high = seqs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((seqs[middle] ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}

function isWanted(shape: EntryShape | undefined, group: Group): boolean {
  if (shape === undefined) return false
  if (group === 'problems') return shape.level !== undefined
  return shape.kinds.some((kind) => kindsOf[group]?.includes(kind) === true)
}
