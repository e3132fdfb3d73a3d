import { expect, test } from 'vitest'
import { createRecentIds } from './recent-ids.ts'

test('knows the last ids and no others', () => {
  const ids = createRecentIds(2)
  expect(['a', 'a', 'b', 'a', 'c', 'b', 'a'].map(ids.note)).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ])
})
