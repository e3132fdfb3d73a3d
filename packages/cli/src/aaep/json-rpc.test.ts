import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { encodeResult, readRpc } from './json-rpc.ts'

test('readRpc() gives a call, an answer or an error for any line', () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"jsonrpc":"2.0",${json.slice(1)}`),
  )
  fc.assert(
    fc.property(line, (text) => {
      const read = readRpc(text)
      if (read.ok) return
      expect([-32_700, -32_600, -32_602]).toContain(read.error.code)
      expect(read.error.message).not.toBe('')
    }),
    { numRuns: runs(300) },
  )
})

test('readRpc() tells a request from a notification', () => {
  const [request, notification] = ['"id":null,', ''].map((id) =>
    readRpc(`{"jsonrpc":"2.0",${id}"method":"a"}`),
  )
  expect(request).toEqual({ ok: true, call: { id: null, method: 'a', params: {} } })
  expect(notification).toEqual({ ok: true, call: { method: 'a', params: {} } })
})

test('encodeResult() is one line', () => {
  expect(encodeResult('x', { text: 'a\nb' })).toBe('{"jsonrpc":"2.0","id":"x","result":{"text":"a\\nb"}}\n')
})
