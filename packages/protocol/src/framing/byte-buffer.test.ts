import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createByteBuffer } from './byte-buffer.ts'

describe('createByteBuffer()', () => {
  test('keeps all bytes up to the bound, and beyond it only their number', () => {
    const piece = fc.uint8Array({ maxLength: 2000, size: 'max' })
    fc.assert(
      fc.property(
        fc.array(fc.array(piece, { maxLength: 6 })),
        fc.integer({ min: 0, max: 6000 }),
        (rounds, max) => {
          const buffer = createByteBuffer(max)
          for (const pieces of rounds) {
            for (const each of pieces) buffer.append(each)
            const bytes = pieces.flatMap((each) => [...each])
            expect(buffer.length).toBe(bytes.length)
            expect([...buffer.view()]).toEqual(bytes.length > max ? [] : bytes)
            buffer.clear()
          }
        },
      ),
      { numRuns: runs(50) },
    )
  })

  test('does not see what its owner does to a chunk afterwards', () => {
    const buffer = createByteBuffer(10)
    const chunk = Uint8Array.of(1, 2)
    buffer.append(chunk)
    chunk.fill(9)
    expect([...buffer.view()]).toEqual([1, 2])
  })
})
