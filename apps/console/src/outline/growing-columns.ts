import { type OutlineRow, omitUndefined } from '@sluice/protocol'
import type { CallSpan, OutlineColumns } from './outline-columns.ts'

/** The parts that entries share: sessions of a hundred thousand entries have a few dozen shapes. */
export type EntryShape = Pick<OutlineRow, 'direction' | 'kinds' | 'level'>

/** Columns that entries are added to, in order. */
export interface GrowingColumns extends OutlineColumns {
  /** Index into `shapes`. */
  readonly shape: ArrayLike<number>
  readonly shapes: readonly EntryShape[]
  readonly findings: ArrayLike<number>
  push(row: OutlineRow): void
}

const firstCapacity = 1024

export function createColumns(): GrowingColumns {
  let count = 0
  let at = new Float64Array(firstCapacity)
  let characters = new Uint32Array(firstCapacity)
  let delayMs = new Float64Array(firstCapacity)
  let shape = new Uint16Array(firstCapacity)
  let findings = new Uint16Array(firstCapacity)
  const shapes: EntryShape[] = []
  const shapeIndex = new Map<string, number>()
  const calls: CallSpan[] = []
  const openCalls = new Map<string, number>()

  function grow(): void {
    const capacity = at.length * 2
    at = copyTo(new Float64Array(capacity), at)
    characters = copyTo(new Uint32Array(capacity), characters)
    delayMs = copyTo(new Float64Array(capacity), delayMs)
    shape = copyTo(new Uint16Array(capacity), shape)
    findings = copyTo(new Uint16Array(capacity), findings)
  }

  function indexOfShape({ direction, kinds, level }: OutlineRow): number {
    const key = `${direction} ${level ?? ''} ${kinds.join(' ')}`
    const known = shapeIndex.get(key)
    if (known !== undefined) return known
    shapeIndex.set(key, shapes.length)
    shapes.push(omitUndefined({ direction, kinds, level }))
    return shapes.length - 1
  }

  function addCalls({ seq, at: time, calls: told = [] }: OutlineRow): void {
    for (const { call, tool, status } of told) {
      const index = openCalls.get(call)
      const started = index === undefined ? undefined : calls[index]
      if (status === undefined) {
        openCalls.set(call, calls.length)
        calls.push({ call, tool, seq, at: time })
      } else if (index !== undefined && started !== undefined) {
        calls[index] = { ...started, endSeq: seq, endAt: time, status }
        openCalls.delete(call)
      }
    }
  }

  return {
    get count() {
      return count
    },
    get at() {
      return at
    },
    get characters() {
      return characters
    },
    get delayMs() {
      return delayMs
    },
    get shape() {
      return shape
    },
    get findings() {
      return findings
    },
    get calls() {
      return calls
    },
    shapes,
    push(row) {
      if (count === at.length) grow()
      at[count] = row.at
      characters[count] = row.characters
      delayMs[count] = row.delayMs ?? Number.NaN
      shape[count] = indexOfShape(row)
      findings[count] = row.findings
      addCalls(row)
      count += 1
    },
  }
}

function copyTo<T extends Float64Array | Uint32Array | Uint16Array>(to: T, from: T): T {
  to.set(from)
  return to
}
