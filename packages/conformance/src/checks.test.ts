import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { producerChecks } from './producer-checks.ts'
import { subscriberChecks } from './subscriber/subscriber-checks.ts'

test('docs/guides/conformance.md tells every check as it is', () => {
  const page = readFileSync(new URL('../../../docs/guides/conformance.md', import.meta.url), 'utf8')
  const told = page.split('\n').filter((line) => /^\| `[LS]\d-/.test(line))
  const real = [...producerChecks, ...subscriberChecks].map(
    ({ id, section, sentence, isAdvice }) =>
      `| \`${id}\` | ${section} | ${sentence}${isAdvice === true ? ' Recommended.' : ''} |`,
  )
  expect(told).toEqual(real)
})

test('no id is used twice', () => {
  const ids = [...producerChecks, ...subscriberChecks].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
