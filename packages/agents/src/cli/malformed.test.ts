import { expect, test } from 'vitest'
import { createMalformedNotices } from './malformed.ts'

test('each line that cannot be read is told by its length', () => {
  expect(createMalformedNotices().tell(17)).toEqual([
    {
      kind: 'notice',
      level: 'error',
      code: 'malformed_line',
      text: 'malformed output line (line_bytes=17)',
      meta: { channel: 'error' },
    },
  ])
})

test('of many such lines twenty are told, and once that there are more', () => {
  const notices = createMalformedNotices()
  const told = Array.from({ length: 500 }, (_, bytes) => notices.tell(bytes)).flat()
  expect(told).toHaveLength(21)
  expect(told.at(19)).toMatchObject({ text: 'malformed output line (line_bytes=19)' })
  expect(told.at(20)).toMatchObject({ text: 'further malformed output lines are not reported' })
})
