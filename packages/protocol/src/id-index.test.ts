import { expect, test } from 'vitest'
import { createIdIndex } from './id-index.ts'

test('an index tells the same bytes from others under a known id, through many growths', () => {
  const index = createIdIndex()
  for (let i = 0; i < 50_000; i++) expect(index.note(`evt_${i}`, `content ${i}`)).toBe('new')
  for (let i = 0; i < 50_000; i += 7) {
    expect(index.note(`evt_${i}`, `content ${i}`)).toBe('same')
    expect(index.note(`evt_${i}`, 'something else')).toBe('other')
    expect(index.has(`evt_${i}`)).toBe(true)
  }
  expect(index.has('evt_50000')).toBe(false)
})
