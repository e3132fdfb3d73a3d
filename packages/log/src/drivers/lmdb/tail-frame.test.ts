import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { frameHeadBytes, readFrames, sealFrame } from './tail-frame.ts'

const salt = 0xfeedf00d

function frameOf(number: number, chunk: Uint8Array, ownSalt = salt): Buffer {
  const frame = Buffer.concat([Buffer.alloc(frameHeadBytes), chunk])
  sealFrame(frame, ownSalt, number)
  return frame
}

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 6 })
const hex = (all: readonly Uint8Array[]) => all.map((bytes) => Buffer.from(bytes).toString('hex'))

describe('the frames of a tail file', () => {
  test('give back any chunks, from any number on', () => {
    fc.assert(
      fc.property(chunks, fc.nat(2 ** 50), (given, first) => {
        const bytes = Buffer.concat(given.map((chunk, index) => frameOf(first + index, chunk)))
        const read = readFrames(bytes, { salt, from: 0, number: first })
        expect(hex(read.chunks)).toEqual(hex(given))
        expect(read).toMatchObject({ end: bytes.length, isDamaged: false })
        expect(readFrames(bytes, { salt, from: 0, number: first, endCommit: first + 1 }).chunks).toHaveLength(
          1,
        )
      }),
      { numRuns: runs(100) },
    )
  })

  test('end before one that is cut anywhere, whatever stands in its place', () => {
    fc.assert(
      fc.property(chunks, fc.nat(), fc.uint8Array({ maxLength: 300 }), (given, cut, garbage) => {
        const frames = given.map((chunk, index) => frameOf(index, chunk))
        const last = frames.pop() ?? Buffer.alloc(0)
        const whole = Buffer.concat(frames)
        const bytes = Buffer.concat([whole, last.subarray(0, cut % last.length), garbage])
        // As long as the garbage is not by chance what was cut.
        fc.pre(!bytes.subarray(whole.length).subarray(0, last.length).equals(last))
        expect(readFrames(bytes, { salt, from: 0, number: 0 })).toMatchObject({
          end: whole.length,
          isDamaged: false,
        })
      }),
      { numRuns: runs(200) },
    )
  })

  test('are damaged when any bit of one is wrong that others follow', () => {
    fc.assert(
      fc.property(chunks, fc.nat(), fc.nat(), (given, which, place) => {
        const frames = [...given, Buffer.from('last')].map((chunk, index) => frameOf(index, chunk))
        const index = which % given.length
        const broken = frames[index] ?? Buffer.alloc(1)
        const bit = place % (8 * broken.length)
        broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const read = readFrames(Buffer.concat(frames), { salt, from: 0, number: 0 })
        expect(read.isDamaged).toBe(true)
        expect(read.chunks).toHaveLength(index)
      }),
      { numRuns: runs(200) },
    )
  })

  test('are not those that lie in a record', () => {
    const foreign = frameOf(1, Buffer.from('x'), salt + 1)
    const torn = frameOf(1, Buffer.concat([foreign, Buffer.alloc(100)])).subarray(0, -1)
    const bytes = Buffer.concat([frameOf(0, Buffer.from('a')), torn])
    expect(readFrames(bytes, { salt, from: 0, number: 0 })).toMatchObject({ isDamaged: false })
  })

  test('with a gap in their numbers are damaged', () => {
    const bytes = Buffer.concat([frameOf(0, Buffer.from('a')), frameOf(2, Buffer.from('c'))])
    expect(readFrames(bytes, { salt, from: 0, number: 0 })).toMatchObject({ isDamaged: true })
  })
})
