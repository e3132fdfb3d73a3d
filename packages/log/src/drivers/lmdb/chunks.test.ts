import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import {
  appendBytes,
  type ChunkAppend,
  encodeCommitChunk,
  encodeExtra,
  readCommitChunk,
} from './commit-chunk.ts'
import {
  encodeLostChunk,
  encodeSessionChunks,
  pieceRecords,
  readSessionChunk,
  runsOf,
  storedRecords,
} from './session-chunk.ts'

const records = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 })

const append = fc
  .record({
    session: fc.string({ minLength: 1, maxLength: 40 }),
    firstSeq: fc.nat(2 ** 40),
    at: fc.nat(2 ** 42),
    ends: fc.boolean(),
    info: fc.option(fc.record({ label: fc.string({ unit: 'grapheme' }) }), { nil: undefined }),
    records,
  })
  .map((given) => {
    const sessionBytes = Buffer.from(given.session)
    const extra = encodeExtra(given.info === undefined ? {} : { info: given.info })
    const recordBytes = given.records.reduce((sum, { length }) => sum + length, 0)
    const size = appendBytes({ sessionBytes, extra, count: given.records.length, recordBytes })
    return { ...given, sessionBytes, extra, size } satisfies ChunkAppend
  })

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('a commit chunk', () => {
  test('gives back any appends', () => {
    fc.assert(
      fc.property(fc.array(append, { maxLength: 6 }), (appends) => {
        const { bytes, pieces } = encodeCommitChunk(appends)
        const read = [...readCommitChunk(bytes)]
        expect(
          read.map(({ session, at, ends, extra }) => ({ session, at, ends, info: extra?.info })),
        ).toEqual(
          appends.map(({ sessionBytes, at, ends, info }) => ({
            session: sessionBytes.toString(),
            at,
            ends,
            info,
          })),
        )
        for (const [index, { piece }] of read.entries()) {
          const given = appends[index]
          expect([...pieceRecords(piece)].map(({ seq, bytes: record }) => [seq, hex(record)])).toEqual(
            given?.records.map((record, offset) => [given.firstSeq + offset, hex(record)]),
          )
          expect(pieces[index]).toEqual(piece)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('that ends anywhere is a RangeError or fewer appends, and never something else', () => {
    fc.assert(
      fc.property(fc.array(append, { minLength: 1, maxLength: 3 }), fc.nat(), (appends, cut) => {
        const { bytes } = encodeCommitChunk(appends)
        const part = bytes.subarray(0, cut % bytes.length)
        let count = 0
        try {
          for (const _ of readCommitChunk(Buffer.from(part))) count += 1
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
        expect(count).toBeLessThanOrEqual(appends.length)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('session chunks', () => {
  test('hold the records of any pieces, in order and within their size', () => {
    const sizes = fc.array(fc.array(fc.nat(50_000), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(sizes, fc.nat(1000), (groups, start) => {
        let firstSeq = start
        const pieces = groups.flatMap((lengths) => {
          const given = lengths.map((length, index) => Buffer.alloc(length, firstSeq + index))
          const recordBytes = lengths.reduce((sum, length) => sum + length, 0)
          const sessionBytes = Buffer.from('s')
          const size = appendBytes({ sessionBytes, extra: undefined, count: given.length, recordBytes })
          const base = { sessionBytes, at: 0, ends: false, extra: undefined, records: given, size }
          const chunk = encodeCommitChunk([{ ...base, firstSeq }])
          firstSeq += given.length
          return chunk.pieces
        })
        const before = pieces.flatMap((piece) => [...pieceRecords(piece)])
        const chunks = [...encodeSessionChunks('s', pieces)]
        const after = chunks.flatMap(({ firstSeq, bytes }) => {
          const piece = readSessionChunk({ session: 's', seq: firstSeq }, bytes)
          return piece === undefined ? [] : [...storedRecords(piece)]
        })
        expect(after.map(({ seq, bytes }) => [seq, hex(bytes)])).toEqual(
          before.map(({ seq, bytes }) => [seq, hex(bytes)]),
        )
        for (const { bytes } of chunks) expect(bytes.length).toBeLessThanOrEqual(65_536)
      }),
      { numRuns: runs(50) },
    )
  })

  test('of the version without checks are read only where they are expected', () => {
    const place = { session: 's', seq: 0 }
    const chunk = Buffer.from([1, 1, 0, 0, 0, 1, 0, 0, 0, 7])
    const piece = readSessionChunk(place, chunk, { isChecked: false })
    expect(piece === undefined ? [] : [...storedRecords(piece)]).toMatchObject([
      { seq: 0, bytes: Buffer.from([7]) },
    ])
    expect(readSessionChunk(place, chunk)).toBeUndefined()
    for (let end = 0; end < chunk.length; end++)
      expect(readSessionChunk(place, chunk.subarray(0, end), { isChecked: false })).toBeUndefined()
  })

  test('with any byte changed lose the records of its block, and no other is wrong', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), fc.nat(7), (count, place, bit) => {
        const given = Array.from({ length: count }, (_, index) => Buffer.alloc(20, index))
        const chunk = Buffer.concat([...given.map(() => Buffer.from([20, 0, 0, 0])), ...given])
        const [made] = encodeSessionChunks('s', [{ firstSeq: 0, count, chunk, lengthsAt: 0 }])
        const bytes = made?.bytes ?? Buffer.alloc(1)
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const piece = readSessionChunk({ session: 's', seq: 0 }, bytes)
        if (piece === undefined) return
        const found = [...runsOf(piece)].flatMap(({ records: read }) => read ?? [])
        expect(found.length).toBeGreaterThanOrEqual(count - 16)
        expect(found.length).toBeLessThan(count)
        for (const { seq, bytes: record } of found)
          expect(hex(record)).toBe(hex(given[seq] ?? Buffer.alloc(0)))
      }),
      { numRuns: runs(100) },
    )
  })

  test('belong to their session and their place', () => {
    const [made] = encodeSessionChunks('s', [
      { firstSeq: 3, count: 1, chunk: Buffer.from([1, 0, 0, 0, 7]), lengthsAt: 0 },
    ])
    const bytes = made?.bytes ?? Buffer.alloc(0)
    expect(readSessionChunk({ session: 's', seq: 3 }, bytes)).toBeDefined()
    expect(readSessionChunk({ session: 's', seq: 4 }, bytes)).toBeUndefined()
    expect(readSessionChunk({ session: 't', seq: 3 }, bytes)).toBeUndefined()
    expect(readSessionChunk({ session: 's', seq: 3 }, encodeLostChunk('s', 3, 9))?.isLost).toBe(true)
  })
})
