import { expect, test } from 'vitest'
import { type AnnouncementTerms, isSameTerms, toChangedTerms, toTerms } from './announcement-terms.ts'

const wanted: AnnouncementTerms = { verbosity: 'terse', rateWpm: 200, languages: ['de', 'en'], load: 'low' }

test('terms ask for whole sentences, and for no answers', () => {
  expect(toTerms(wanted)).toMatchObject({
    preferred_verbosity: 'terse',
    languages: ['de', 'en'],
    pace_wpm: 200,
    cognitive_load: 'low',
    coalesce_boundaries: ['sentence', 'paragraph', 'completion'],
    supports_confirmation_reply: false,
    supports_clarification_reply: false,
  })
  const plain = toTerms({ verbosity: 'normal', languages: ['en'] })
  expect(Object.keys(plain)).not.toContain('pace_wpm')
  expect(Object.keys(plain)).not.toContain('cognitive_load')
})

test.each([
  [10, 50],
  [123.4, 123],
  [5000, 1000],
  [Number.POSITIVE_INFINITY, 1000],
  [Number.NaN, undefined],
])('a rate of %d is asked for as %s', (rateWpm, pace) => {
  expect(toTerms({ ...wanted, rateWpm }).pace_wpm).toBe(pace)
})

test('what is no language is not asked for', () => {
  const many = Array.from({ length: 40 }, (_, index) => `de-x-a${index}`)
  expect(toTerms({ ...wanted, languages: ['', 'no language', 'pt-BR', 'pt-BR'] }).languages).toEqual([
    'pt-BR',
  ])
  expect(toTerms({ ...wanted, languages: [] }).languages).toEqual(['en'])
  expect(toTerms({ ...wanted, languages: many }).languages).toHaveLength(32)
})

test('what is taken back is asked for as the nearest to nothing', () => {
  const plain = { verbosity: 'terse', languages: ['de'] } as const
  expect(toChangedTerms(plain, wanted)).toEqual({
    preferred_verbosity: 'terse',
    languages: ['de'],
    cognitive_load: 'medium',
    pace_wpm: 1000,
  })
  expect(toChangedTerms(plain, plain).pace_wpm).toBeUndefined()
})

test('terms are compared by what they say', () => {
  expect(isSameTerms(wanted, { ...wanted, languages: ['de', 'en'] })).toBe(true)
  for (const other of [{ rateWpm: 201 }, { languages: ['en', 'de'] }, { load: undefined }])
    expect(isSameTerms(wanted, { ...wanted, ...other })).toBe(false)
})
