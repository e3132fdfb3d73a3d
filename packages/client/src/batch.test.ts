import { describe, expect, test } from 'vitest'
import { encodeBatch, measureBatch, type Pending } from './batch.ts'

const pending = (text: string): Pending => ({ text, byteLength: text.length, resolve() {}, reject() {} })

describe('measureBatch()', () => {
  const queue = ['12', '345', '6', '7890'].map(pending)

  test.each([
    [{ maxEvents: 10, maxBytes: 100 }, 4],
    [{ maxEvents: 3, maxBytes: 100 }, 3],
    [{ maxEvents: 10, maxBytes: 6 }, 3],
    [{ maxEvents: 10, maxBytes: 5 }, 2],
    [{ maxEvents: 10, maxBytes: 1 }, 1],
  ])('within %j takes %d', (bounds, expected) => {
    expect(measureBatch(queue, bounds)).toBe(expected)
  })

  test('takes nothing of nothing', () => {
    expect(measureBatch([], { maxEvents: 1, maxBytes: 1 })).toBe(0)
  })
})

test('encodeBatch() makes an array or lines of the events as they were given', () => {
  const batch = ['{"a":1.0}', '{}'].map(pending)
  expect(encodeBatch(batch, 'array')).toBe('[{"a":1.0},{}]')
  expect(encodeBatch(batch, 'lines')).toBe('{"a":1.0}\n{}\n')
})
