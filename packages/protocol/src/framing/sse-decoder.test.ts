import { describe, expect, test } from 'vitest'
import { createSseDecoder, type SseDecoderOptions, type SseResult } from './sse-decoder.ts'

const encoder = new TextEncoder()

function decode(input: string | Uint8Array, options: SseDecoderOptions = {}): SseResult[] {
  const decoder = createSseDecoder(options)
  const chunk = typeof input === 'string' ? encoder.encode(input) : input
  return [...decoder.push(chunk), ...decoder.end()]
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

const message = (data: string, line: number, more: object = {}): SseResult => ({
  ok: true,
  data,
  line,
  lastEventId: '',
  ...more,
})

describe('createSseDecoder()', () => {
  test.each<[string, string, SseResult[]]>([
    ['nothing from no input', '', []],
    [
      'data with one leading space removed',
      'data: a\n\ndata:b\n\ndata:  c\n\n',
      [message('a', 1), message('b', 3), message(' c', 5)],
    ],
    ['several data lines as one text', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10', 1)]],
    ['empty data', 'data\n\ndata\ndata\n\ndata:', [message('', 1), message('\n', 3)]],
    [
      'CRLF and CR as line ends',
      'data: a\r\ndata: b\r\n\r\ndata: c\r\r',
      [message('a\nb', 1), message('c', 4)],
    ],
    ['mixed line ends', 'data: a\rdata: b\n\rdata: c\n\r\n', [message('a\nb', 1), message('c', 4)]],
    ['the first field behind a BOM', '\ufeffdata: a\n\n\ufeffdata: b\n\n', [message('a', 1)]],
    ['no comments', ': data\ndata: a\n:\n\n', [message('a', 2)]],
    [
      'the event name',
      'event: add\ndata: a\n\ndata: b\n\n',
      [message('a', 2, { event: 'add' }), message('b', 4)],
    ],
    ['the last of several names', 'event: x\nevent: y\ndata: a\n\n', [message('a', 3, { event: 'y' })]],
    ['no empty event name', 'event: x\nevent\ndata: a\n\n', [message('a', 3)]],
    ['data with colons', 'data: a: b\n\n', [message('a: b', 1)]],
    ['nothing of unknown fields', 'Data: a\n data: b\ndatax: c\ndata: d\n\n', [message('d', 4)]],
    ['no event without data', 'event: x\n\ndata: a\n\n', [message('a', 3)]],
    ['no event without its blank line', 'data: a\n\ndata: b\n', [message('a', 1)]],
  ])('delivers %s', (_, input, expected) => {
    expect(decode(input)).toEqual(expected)
  })

  test('keeps an id in force until the next one, also from a block without data', () => {
    expect(decode('id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid\ndata: d\n\n')).toEqual([
      message('a', 2, { id: '1', lastEventId: '1' }),
      message('b', 4, { lastEventId: '1' }),
      message('c', 8, { lastEventId: '2' }),
      message('d', 11, { id: '', lastEventId: '' }),
    ])
  })

  test('ignores an id with NUL', () => {
    expect(decode('id: 1\nid: 2\0\ndata: a\n\n')).toEqual([message('a', 3, { id: '1', lastEventId: '1' })])
  })

  test('lastEventId() moves at the blank line and not before', () => {
    const decoder = createSseDecoder()
    decoder.push(encoder.encode('id: 7\n'))
    expect(decoder.lastEventId()).toBe('')
    decoder.push(encoder.encode('\n'))
    expect(decoder.lastEventId()).toBe('7')
  })

  test('reads retry of digits only, with and without data', () => {
    const seen: number[] = []
    const input = `retry: 10\n\nretry: 1.5\nretry: -1\nretry\nretry: 9${'9'.repeat(400)}\nretry: 020\ndata: a\n\n`
    expect(decode(input, { onRetry: (retryMs) => seen.push(retryMs) })).toEqual([
      message('a', 8, { retry: 20 }),
    ])
    expect(seen).toEqual([10, 20])
  })

  test('hands comments to onComment', () => {
    const comments: string[] = []
    decode(': a\n:b\n:\ndata: x\n:  c: d\n\n', { onComment: (text) => comments.push(text) })
    expect(comments).toEqual(['a', 'b', '', ' c: d'])
  })

  test.each(['data: b', 'data: b\n', 'data: b\r'])(
    'delivers an unfinished event from %j with flushAtEnd',
    (rest) => {
      expect(decode(`data: a\n\n${rest}`, { flushAtEnd: true })).toEqual([message('a', 1), message('b', 3)])
    },
  )

  test('delivers an event with the first CR of its blank line and takes no LF behind it for another line', () => {
    const decoder = createSseDecoder()
    expect(decoder.push(encoder.encode('data: a\r\n\r'))).toEqual([message('a', 1)])
    expect(decoder.push(encoder.encode('\ndata: b\r'))).toEqual([])
    expect(decoder.push(encoder.encode('\n\r\n'))).toEqual([message('b', 3)])
  })

  test('discards an event over the bound and delivers the next, keeping the id for a reconnect', () => {
    const long = 'data: 12345\nevent: x\nid: 1\ndata: 12345\n\n'
    expect(decode(`${long}data: 12345\n\n`, { maxEventBytes: 30 })).toEqual([
      { ok: false, code: 'event_too_long', line: 1, bytes: 35 },
      message('12345', 6, { lastEventId: '1' }),
    ])
  })

  test('keeps an event of exactly the bound, counted in bytes, comments apart', () => {
    const options = { maxEventBytes: 18 }
    expect(decode(':-)\ndata: €\ndata: €\n: 12345\n\n', options)).toEqual([message('€\n€', 2)])
    expect(decode('data: €\ndata: €.\n\n', options)).toEqual([
      { ok: false, code: 'event_too_long', line: 1, bytes: 19 },
    ])
  })

  test('counts long and short lines of any script alike', () => {
    const data = `data: ${'é€😀'.repeat(1000)}`
    const bytes = 6 + 9000
    expect(decode(`${data}\n\n`, { maxEventBytes: bytes })).toHaveLength(1)
    expect(decode(`${data}\nevent: €\n\n`, { maxEventBytes: bytes })).toEqual([
      { ok: false, code: 'event_too_long', line: 1, bytes: bytes + 10 },
    ])
  })

  test('reports a 100 MB data line once and delivers the event after it', () => {
    const decoder = createSseDecoder()
    const chunk = new Uint8Array(64 * 1024).fill(0x61)
    decoder.push(encoder.encode('id: 1\ndata: '))
    for (let i = 0; i < 1600; i++) expect(decoder.push(chunk)).toEqual([])
    expect(decoder.push(encoder.encode('\n\ndata: b\n\n'))).toEqual([
      { ok: false, code: 'event_too_long', line: 2, bytes: 5 + 6 + 1600 * chunk.length },
      message('b', 4, { lastEventId: '1' }),
    ])
  })

  test('reports an event that is not UTF-8 and delivers the next', () => {
    expect(decode(latin1('data: a\ndata: \xff\ndata: b\n\ndata: c\n\n'))).toEqual([
      { ok: false, code: 'invalid_utf8', line: 1, bytes: 21 },
      message('c', 5),
    ])
  })

  test('reports an event with two faults once, by the first', () => {
    const options = { maxEventBytes: 10 }
    expect(decode(latin1('data: \xff\ndata: 12345\n\n'), options)).toEqual([
      { ok: false, code: 'invalid_utf8', line: 1, bytes: 18 },
    ])
    expect(decode(latin1('\ndata: 12345\ndata: \xff\n\n'), options)).toEqual([
      { ok: false, code: 'event_too_long', line: 2, bytes: 18 },
    ])
  })

  test('loses no event to a comment that is too long or not UTF-8', () => {
    expect(decode(latin1('data: a\n: \xff\n\n'))).toEqual([message('a', 1)])
    expect(decode(`data: a\n: ${'x'.repeat(100)}\n\n`, { maxEventBytes: 10 })).toEqual([message('a', 1)])
  })
})
