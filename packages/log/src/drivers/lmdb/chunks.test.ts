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
import { encodeSessionChunks, pieceRecords, readSessionChunk } from './session-chunk.ts'

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
        const chunks = [...encodeSessionChunks(pieces)]
        const after = chunks.flatMap(({ firstSeq: seq, bytes }) => [
          ...pieceRecords(readSessionChunk(seq, bytes)),
        ])
        expect(after.map(({ seq, bytes }) => [seq, hex(bytes)])).toEqual(
          before.map(({ seq, bytes }) => [seq, hex(bytes)]),
        )
        for (const { bytes } of chunks) expect(bytes.length).toBeLessThanOrEqual(65_536)
      }),
      { numRuns: runs(50) },
    )
  })

  test('that are cut are refused', () => {
    expect(() => readSessionChunk(0, Buffer.from([]))).toThrow(RangeError)
    expect(() => readSessionChunk(0, Buffer.from([9, 1, 0, 0, 0, 0, 0, 0, 0]))).toThrow(RangeError)
    expect(() => [...pieceRecords(readSessionChunk(0, Buffer.from([1, 1, 0, 0, 0, 5, 0, 0, 0, 1])))]).toThrow(
      RangeError,
    )
  })
})
