import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../testing/run-sluice.ts'
import { producerChecks } from './producer-checks.ts'
import { subscriberChecks } from './subscriber/subscriber-checks.ts'

test('docs/guides/conformance.md tells every check as it is', () => {
  const page = readFileSync(join(repository, 'docs/guides/conformance.md'), 'utf8')
  const told = page.split('\n').filter((line) => /^\| `[LS]\d-/.test(line))
  const real = [...producerChecks, ...subscriberChecks].map(
    ({ id, section, sentence, isAdvice }) =>
      `| \`${id}\` | ${section} | ${sentence}${isAdvice === true ? ' Recommended.' : ''} |`,
  )
  expect(told).toEqual(real)
})
