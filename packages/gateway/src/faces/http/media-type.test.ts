import { expect, test } from 'vitest'
import { acceptsEncoding, type MediaName, negotiate } from './media-type.ts'

const all: readonly MediaName[] = ['json', 'sse', 'ndjson']

test.each<[accept: string | undefined, chosen: MediaName]>([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['text/*', 'sse'],
  ['text/event-stream', 'sse'],
  ['TEXT/Event-Stream; charset=utf-8', 'sse'],
  ['application/x-ndjson', 'ndjson'],
  ['application/json;q=0.5, text/event-stream', 'sse'],
  ['text/event-stream;q=0.5, application/json;q=0.4, */*;q=0.1', 'sse'],
  ['text/event-stream, */*;q=0.1', 'sse'],
  ['application/json;q=0, */*', 'sse'],
  ['application/*;q=0.2, application/x-ndjson', 'ndjson'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
])('Accept %j is answered with %s', (accept, chosen) => {
  expect(negotiate(accept, all)).toBe(chosen)
})

test.each(['text/html', 'application/json;q=0', '*/*;q=0', 'image/*'])(
  'Accept %j is not acceptable',
  (accept) => {
    expect(() => negotiate(accept, all)).toThrow(
      expect.objectContaining({
        code: 'not_acceptable',
        details: { offered: ['application/json', 'text/event-stream', 'application/x-ndjson'] },
      }),
    )
  },
)

test('an encoding is used where it is accepted and not refused', () => {
  for (const header of ['gzip', 'br, gzip;q=0.5', '*', 'deflate, *;q=0.1'])
    expect(acceptsEncoding(header, 'gzip')).toBe(true)
  for (const header of [undefined, '', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=0, *'])
    expect(acceptsEncoding(header, 'gzip')).toBe(false)
  expect(acceptsEncoding('gzip, br', 'br')).toBe(true)
  expect(acceptsEncoding('gzip, br;q=0', 'br')).toBe(false)
})
