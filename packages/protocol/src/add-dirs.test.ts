import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddDirs } from './add-dirs.ts'
import { runs } from './testing/runs.ts'

const refusal = (place: string) =>
  expect.objectContaining({
    code: 'invalid_run',
    message: `invalid request: invalid agent_api.exec.add_dirs.v1${place}`,
  })

test('parseAddDirs() reads the names without white space around them', () => {
  expect(parseAddDirs({ dirs: [' \u0085/..\u3000', '\ufeffa', '~', 'e e'] })).toEqual([
    '/..',
    '\ufeffa',
    '~',
    'e e',
  ])
})

test.each([
  ['/a', ''],
  [{ dirs: ['/a'], more: 1 }, ''],
  [{ dirs: [] }, '.dirs'],
  [{ dirs: Array.from({ length: 17 }, () => '/a') }, '.dirs'],
  [{ dirs: ['/a', 7] }, '.dirs[1]'],
  [{ dirs: ['\u0085'] }, '.dirs[0]'],
  [{ dirs: ['a\0'] }, '.dirs[0]'],
  [{ dirs: ['é'.repeat(600)] }, '.dirs[0]'],
])('parseAddDirs() refuses %j by its place', (value, place) => {
  expect(() => parseAddDirs(value)).toThrow(refusal(place))
})

test('parseAddDirs() of what it has read changes nothing', () => {
  const unit = fc.constantFrom(' ', '\u0085', '\u3000', '\ufeff', 'a', '/', '.', '\n')
  fc.assert(
    fc.property(fc.array(fc.string({ unit, minLength: 1 }), { minLength: 1, maxLength: 16 }), (dirs) => {
      fc.pre(dirs.every((dir) => /\P{White_Space}/u.test(dir)))
      const once = parseAddDirs({ dirs })
      expect(parseAddDirs({ dirs: [...once] })).toEqual(once)
    }),
    { numRuns: runs(200) },
  )
})
