import { producerChecks, subscriberChecks } from '@sluice/conformance'
import { expect, test } from 'vitest'
import { callSluice } from '../testing/call-sluice.ts'

test('--list tells every check', async () => {
  const { code, stdout } = await callSluice(['conformance', '--list'])
  expect(code).toBe(0)
  const ids = stdout.match(/^\S+/gm)
  expect(ids).toEqual([...producerChecks, ...subscriberChecks].map(({ id }) => id))
})

test.each([
  { args: [], says: 'Usage: sluice conformance' },
  { args: ['producer'], says: 'Usage: sluice conformance' },
  { args: ['producer', 'http://127.0.0.1:1'], says: '--trigger is needed' },
  { args: ['producer', 'ftp://a', '--trigger', 'true'], says: 'URL needs an address' },
  {
    args: ['producer', 'http://127.0.0.1:1', '--trigger', 'true', '--only', 'L1-ENV-02'],
    says: 'Did you mean L1-ENV-002?',
  },
  { args: ['producer', 'http://127.0.0.1:1', '--trigger', 'true', '--wait', 'soon'], says: '--wait needs' },
  { args: ['subscriber'], says: '--listen needs a port' },
])('$args is answered with a hint', async ({ args, says }) => {
  const { code, stdout, stderr } = await callSluice(['conformance', ...args])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(says)
})

test('a producer out of reach is told with its address', async () => {
  const { code, stderr } = await callSluice([
    'conformance',
    'producer',
    'http://127.0.0.1:1',
    '--trigger',
    'true',
  ])
  expect(code).toBe(5)
  expect(stderr).toContain('http://127.0.0.1:1')
})
