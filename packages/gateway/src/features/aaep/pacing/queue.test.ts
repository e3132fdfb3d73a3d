import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  dequeue,
  emptyQueue,
  enqueue,
  itemAt,
  itemsOf,
  lastOf,
  type Queue,
  sizeOf,
  withFirst,
  withLast,
} from './queue.ts'

type Step = 'enqueue' | 'dequeue' | 'withFirst' | 'withLast'
const steps: readonly Step[] = [
  'enqueue',
  'enqueue',
  'enqueue',
  'dequeue',
  'dequeue',
  'withFirst',
  'withLast',
]

function apply(queue: Queue<number>, step: Step, item: number): Queue<number> {
  if (step === 'enqueue') return enqueue(queue, item)
  if (step === 'dequeue') return dequeue(queue)
  return sizeOf(queue) === 0 ? queue : step === 'withFirst' ? withFirst(queue, item) : withLast(queue, item)
}

function applyToArray(items: readonly number[], step: Step, item: number): readonly number[] {
  if (step === 'enqueue') return [...items, item]
  if (step === 'dequeue') return items.slice(1)
  if (items.length === 0) return items
  return step === 'withFirst' ? [item, ...items.slice(1)] : [...items.slice(0, -1), item]
}

function expectSame(queue: Queue<number>, items: readonly number[]): void {
  expect(itemsOf(queue)).toEqual(items)
  expect(sizeOf(queue)).toBe(items.length)
  expect(lastOf(queue)).toBe(items.at(-1))
  for (let index = 0; index <= items.length; index++) expect(itemAt(queue, index)).toBe(items[index])
}

test('any steps from any earlier queue give what they give with arrays, and change no other queue', () => {
  const script = fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(5)), { maxLength: 60 })
  fc.assert(
    fc.property(script, (moves) => {
      const known: [Queue<number>, readonly number[]][] = [[emptyQueue(), []]]
      for (const [index, [step, back]] of moves.entries()) {
        const [queue, items] = known.at(-1 - (back < 4 ? 0 : back)) ?? [emptyQueue<number>(), []]
        known.push([apply(queue, step, index), applyToArray(items, step, index)])
      }
      for (const [queue, items] of known) expectSame(queue, items)
    }),
  )
})

test('a queue that is emptied as fast as it is filled keeps nothing that was removed', () => {
  let queue = emptyQueue<number>()
  for (let item = 0; item < 10_000; item++) {
    queue = enqueue(queue, item)
    if (item >= 10) queue = dequeue(queue)
  }
  expect(sizeOf(queue)).toBe(10)
  expect(queue.inner.length).toBeLessThan(20)
})
