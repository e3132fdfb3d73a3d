import { expect, test } from 'vitest'
import { createEventIds } from './event-ids.ts'

test('ids that differ only in lone surrogates are different ids', () => {
  const ids = createEventIds()
  ids.note('a\ud800', 'text')
  expect(ids.look('a\ud800', 'text')).toBe('same')
  expect(ids.look('a\ud801', 'text')).toBe('new')
})

test('recorded ids are known again, and only under their key', () => {
  const ids = createEventIds()
  ids.note('a', 'text')
  const recorded = ids.all(ids.mark)
  expect(createEventIds(recorded).look('a', 'text')).toBe('same')
  expect(createEventIds({ ...recorded, key: createEventIds().all(0).key }).look('a', 'text')).toBe('new')
})

test('ids take more memory the more there are', () => {
  const ids = createEventIds()
  const before = ids.bytes
  for (let i = 0; i < 1000; i++) ids.note(`id ${i}`, 'text')
  expect(ids.bytes - before).toBeGreaterThan(16 * 1000)
})
