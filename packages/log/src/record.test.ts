import type { Entry } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanFrameOf, decodeRecord, encodeRecord } from './record.ts'

const entry: Entry = {
  seq: 7,
  at: 1_767_225_600_000,
  source: { dialect: 'aaep', producer: 'p', subject: 'ada' },
  direction: 'event',
  raw: '{"chunk":"Ẹ ku àárọ̀ 👍🏽"}',
  clean: true,
  events: [{ kind: 'notice', level: 'info', text: 'Ẹ ku àárọ̀' }],
  diagnostics: [],
}

test('an entry comes back with its fields in the order in which the native dialect writes them', () => {
  expect(JSON.stringify(decodeRecord(encodeRecord(entry)))).toBe(JSON.stringify(entry))
  const { raw: _raw, ...made } = entry
  expect(JSON.stringify(decodeRecord(encodeRecord(made)))).toBe(JSON.stringify(made))
  expect(decodeRecord(encodeRecord({ ...made, raw: '' })).raw).toBe('')
})

test('findings come back', () => {
  const finding = { code: 'wrong_type', path: '/a', message: 'The value is of the wrong type.', rule: 'x' }
  const record = encodeRecord({ ...entry, clean: false, diagnostics: [finding] })
  expect(decodeRecord(record).diagnostics).toEqual([finding])
})

test('any text comes back, also from a plain Uint8Array inside a larger buffer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (raw, text) => {
      const given: Entry = { ...entry, raw, events: [{ kind: 'notice', level: 'info', text }] }
      const record = encodeRecord(given)
      const larger = new Uint8Array(record.length + 16)
      larger.set(record, 9)
      expect(decodeRecord(larger.subarray(9, 9 + record.length))).toEqual(given)
    }),
  )
})

test('a record of another version is not guessed at', () => {
  const record = encodeRecord(entry)
  record[0] = 9
  expect(() => decodeRecord(record)).toThrow(TypeError)
})

test('the frame of a clean entry is found in its own dialect only', () => {
  const record = encodeRecord(entry)
  const { start = 0, end = 0 } = cleanFrameOf(record, 'aaep') ?? {}
  expect(Buffer.from(record).toString('utf8', start, end)).toBe(entry.raw)
  expect(cleanFrameOf(record, 'a2a')).toBeUndefined()
  expect(cleanFrameOf(record, 'aae')).toBeUndefined()
  const { raw: _raw, ...made } = entry
  const finding = { code: 'wrong_type', path: '/a', message: 'The value is of the wrong type.', rule: 'x' }
  for (const other of [made, { ...entry, clean: false, diagnostics: [finding] }])
    for (const dialect of ['aaep', '']) expect(cleanFrameOf(encodeRecord(other), dialect)).toBeUndefined()
})
