import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createJsonElementsDecoder } from './json-elements.ts'
import { createNdjsonDecoder } from './ndjson.ts'
import { createSseDecoder } from './sse-decoder.ts'

type Decoder = { push(chunk: Uint8Array): readonly unknown[]; end(): readonly unknown[] }

const encoder = new TextEncoder()

const framings: readonly {
  readonly name: string
  readonly create: (maxBytes: number) => Decoder
  readonly pieces: readonly string[]
}[] = [
  {
    name: 'NDJSON',
    create: (maxLineBytes) => createNdjsonDecoder({ maxLineBytes }),
    pieces: ['\n', '\r\n', '\r', ' ', '{"a":1}', '"é€😀"'],
  },
  {
    name: 'SSE',
    create: (maxEventBytes) => withCallbacks((calls) => ({ maxEventBytes, ...calls })),
    pieces: [
      '\n',
      '\n\n',
      '\r\n',
      '\r',
      'data: a',
      'data:é€😀',
      'event: b',
      'id: 1',
      'id: \0',
      'retry: 5',
      ': hi',
      'x: y',
    ],
  },
  {
    name: 'SSE with flushAtEnd',
    create: (maxEventBytes) => withCallbacks((calls) => ({ maxEventBytes, flushAtEnd: true, ...calls })),
    pieces: ['\n', '\r\n', '\r', 'data: a', 'data', ':', 'id: 1'],
  },
  {
    name: 'JSON elements',
    create: (maxElementBytes) => createJsonElementsDecoder({ maxElementBytes }),
    pieces: ['[', ']', '{', '}', ',', ':', '"', '\\', '"é€😀\\""', '{"a":[1]}', '12', 'true', ' ', '\n'],
  },
]

type Calls = { onComment: (text: string) => void; onRetry: (retryMs: number) => void }

function withCallbacks(options: (calls: Calls) => Parameters<typeof createSseDecoder>[0]): Decoder {
  const calls: unknown[] = []
  const record = (value: unknown) => calls.push(value)
  const decoder = createSseDecoder(options({ onComment: record, onRetry: record }))
  return {
    push: (chunk) => decoder.push(chunk),
    end: () => [...decoder.end(), calls, decoder.lastEventId()],
  }
}

function decodeInChunks(decoder: Decoder, bytes: Uint8Array, sizes: readonly number[]): unknown[] {
  const results: unknown[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const chunk = bytes.slice(at, at + (sizes[i] ?? bytes.length))
    at += chunk.length
    results.push(...decoder.push(chunk))
    chunk.fill(0x7e) // A reader may fill the same buffer again.
  }
  results.push(...decoder.end())
  return results
}

function input(pieces: readonly string[]): fc.Arbitrary<Uint8Array> {
  const text = fc.constantFrom(...pieces, '\ufeff').map((piece) => [...encoder.encode(piece)])
  const noise = fc.array(fc.nat(255), { minLength: 1, maxLength: 3 })
  const partialBom = fc.constantFrom([0xef], [0xef, 0xbb])
  return fc
    .array(
      fc.oneof(
        { weight: 12, arbitrary: text },
        { weight: 1, arbitrary: noise },
        { weight: 1, arbitrary: partialBom },
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => Uint8Array.from(parts.flat()))
}

const maxBytes = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(1 << 20))

describe.each(framings)('$name', ({ create, pieces }) => {
  test('gives the same for any chunking of any input', () => {
    const sizes = fc.oneof(fc.array(fc.nat(6), { minLength: 100, maxLength: 200 }), fc.array(fc.nat(40)))
    fc.assert(
      fc.property(input(pieces), sizes, maxBytes, (bytes, chunkSizes, max) => {
        const whole = decodeInChunks(create(max), bytes, [])
        expect(decodeInChunks(create(max), bytes, chunkSizes)).toEqual(whole)
        expect(decodeInChunks(create(max), bytes, Array(bytes.length).fill(1))).toEqual(whole)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(50)), maxBytes, (bytes, sizes, max) => {
        decodeInChunks(create(max), bytes, sizes)
      }),
      { numRuns: runs(500) },
    )
  })

  test('gives for a truncated input a beginning of what it gives for the whole, up to the piece cut', () => {
    fc.assert(
      fc.property(input(pieces), fc.nat(), (bytes, cut) => {
        const head = bytes.subarray(0, bytes.length === 0 ? 0 : cut % bytes.length)
        const whole = create(1 << 20)
        const part = create(1 << 20)
        const before = [...part.push(head)]
        part.end()
        expect([...whole.push(bytes)].slice(0, before.length)).toEqual(before)
      }),
      { numRuns: runs(300) },
    )
  })
})
