import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createSseDecoder } from './sse-decoder.ts'
import { encodeSse, encodeSseComment, type SseFrame } from './sse-encoder.ts'

const encoder = new TextEncoder()
const text = fc.string({ unit: 'binary' })
const oneLine = text.map((value) => value.replace(/[\r\n]/g, ''))

const frame: fc.Arbitrary<SseFrame> = fc.record(
  {
    data: fc.array(text).map((lines) => lines.join('\n').replaceAll('\r', '\n')),
    event: oneLine.filter((value) => value !== ''),
    id: oneLine.map((value) => value.replaceAll('\0', '')),
    retry: fc.nat(),
  },
  { requiredKeys: ['data'] },
)

describe('encodeSse()', () => {
  test.each<[SseFrame, string]>([
    [{ data: '' }, 'data: \n\n'],
    [{ data: '{"a":1}' }, 'data: {"a":1}\n\n'],
    [{ data: ' a' }, 'data:  a\n\n'],
    [{ data: 'a\nb\n' }, 'data: a\ndata: b\ndata: \n\n'],
    [{ data: 'a\r\nb\rc' }, 'data: a\ndata: b\ndata: c\n\n'],
    [{ data: 'a', event: 'x', id: '7.1', retry: 0 }, 'event: x\nid: 7.1\nretry: 0\ndata: a\n\n'],
    [{ data: 'a', id: '' }, 'id: \ndata: a\n\n'],
  ])('writes %j', (given, expected) => {
    expect(encodeSse(given)).toBe(expected)
  })

  test.each<SseFrame>([
    { data: '', event: 'a\nb' },
    { data: '', event: 'a\r' },
    { data: '', event: '' },
    { data: '', id: '1\n' },
    { data: '', id: '\r1' },
    { data: '', id: '1\0' },
    { data: '', retry: -1 },
    { data: '', retry: 1.5 },
    { data: '', retry: Number.NaN },
  ])('refuses %j', (given) => {
    expect(() => encodeSse(given)).toThrow(TypeError)
  })

  test('gives what the decoder reads back, for any frames and comments between them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(frame, text)), (pairs) => {
        const comments: string[] = []
        const decoder = createSseDecoder({ onComment: (comment) => comments.push(comment) })
        const stream = pairs.map(([each, comment]) => encodeSseComment(comment) + encodeSse(each)).join('')
        const read = decoder.push(encoder.encode(stream)).map((result) => {
          if (!result.ok) return result
          const { ok: _ok, line: _line, lastEventId: _lastEventId, ...rest } = result
          return rest
        })
        expect(read).toEqual(pairs.map(([each]) => each))
        expect(comments).toEqual(pairs.flatMap(([, comment]) => comment.split(/\r\n|\r|\n/)))
      }),
      { numRuns: runs(300) },
    )
  })
})

test('encodeSseComment() writes a comment for each line', () => {
  expect(encodeSseComment('')).toBe(': \n\n')
  expect(encodeSseComment('a\ndata: b')).toBe(': a\n: data: b\n\n')
})
