import { expect, test } from 'vitest'
import { addToPages, type Pages } from './pages.ts'

test('addToPages() copies the last page alone', () => {
  const values = Array.from({ length: 100 }, (_, index) => index)
  const pages = values.reduce<Pages<number>>(addToPages, [])
  const more = addToPages(pages, 100)
  expect(more.flat()).toEqual([...values, 100])
  expect(pages.flat()).toEqual(values)
  expect(more.slice(0, -1).every((page, index) => page === pages[index])).toBe(true)
  expect(Math.max(...more.map((page) => page.length))).toBeLessThanOrEqual(32)
})
