import { describe, expect, test } from 'vitest'
import { bucketActivity } from './bucket-activity.ts'
import { describeActivity, describeBucket } from './describe-activity.ts'
import { plainSpaces } from './testing/plain-spaces.ts'
import { manyColumns, sampleColumns } from './testing/sample-columns.ts'

describe('describeActivity()', () => {
  test.each([
    [[], 'No events yet.'],
    [[{ at: 5, characters: 1 }], '1 event with 1 character.'],
    [[{ at: 5 }, { at: 5, characters: 1240 }], '2 events with 1 240 characters, all at the same time.'],
    [
      [{ at: 0 }, { at: 12_000, characters: 30 }, { at: 12_400 }, { at: 42_000 }],
      '4 events with 30 characters in 42 s, most (2) at 0:12.0.',
    ],
  ])('of %j', (entries, sentence) => {
    expect(plainSpaces(describeActivity(bucketActivity(sampleColumns(entries))))).toBe(sentence)
  })

  test('of 100 000 entries', () => {
    expect(plainSpaces(describeActivity(bucketActivity(manyColumns(100_000))))).toBe(
      '100 000 events with 299 995 characters in 1 min 40 s, most (1 000) at 0:00.',
    )
  })
})

describe('describeBucket()', () => {
  test('tells from when to when, and what', () => {
    const activity = bucketActivity(sampleColumns([{ at: 0 }, { at: 1500, characters: 9 }]), 60_000)
    expect(describeBucket(activity, 1)).toBe('0:01 to 0:02: 1 event, 9 characters')
    expect(describeBucket(activity, 2)).toBe('0:02 to 0:03: 0 events, 0 characters')
  })

  test('needs no times where there is one bucket', () => {
    expect(describeBucket(bucketActivity(sampleColumns([{ at: 0 }])), 0)).toBe('1 event, 0 characters')
  })
})
