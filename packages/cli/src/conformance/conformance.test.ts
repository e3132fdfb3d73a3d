import { expect, test } from 'vitest'
import { callSluice } from '../testing/call-sluice.ts'
import { producerChecks } from './producer-checks.ts'
import { subscriberChecks } from './subscriber/subscriber-checks.ts'
import { healthy } from './testing/behaviour.ts'
import { startProducer } from './testing/broken-producer.ts'
import { createWakefulClock } from './wakeful-clock.ts'

test('--list tells every check', async () => {
  const { code, stdout } = await callSluice(['conformance', '--list'])
  expect(code).toBe(0)
  const ids = stdout.match(/^\S+/gm)
  expect(ids).toEqual([...producerChecks, ...subscriberChecks].map(({ id }) => id))
})

test('no id is used twice', () => {
  const ids = [...producerChecks, ...subscriberChecks].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
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

test('the command ends with 1 when a check failed, and shows no payload', async () => {
  const secret = 'sk-0123456789abcdef0123'
  const producer = await startProducer(
    {
      ...healthy,
      emit: (event) => [
        { ...event, ...(String(event['type']).endsWith('invoked') && { args_summary: secret, tool: 'a b' }) },
      ],
    },
    createWakefulClock(),
  )
  try {
    const trigger = `POST ${producer.url}/sessions {}`
    const args = ['conformance', 'producer', producer.url, '--trigger', trigger, '--level', '1']
    const text = await callSluice(args)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/failed {3}L1-EVT-001/)
    expect(text.stdout).toMatch(/warning {2}L1-SAFE-001/)
    expect(text.stdout).toMatch(/accept\/main evt_\w+ \/tool: /)
    expect(text.stdout).toMatch(/\d+ passed, \d+ failed, 1 warning, \d+ not run\n$/)
    const json = await callSluice([...args, '--json', '--only', 'l1-evt-001', '--only', 'L1-ENV-002'])
    expect(json.code).toBe(1)
    const report: unknown = JSON.parse(json.stdout)
    expect(report).toMatchObject({ counts: { passed: 1, failed: 1, warning: 0, 'not run': 0 } })
    expect(`${text.stdout}${text.stderr}${json.stdout}`).not.toContain(secret)
  } finally {
    await producer.close()
  }
})
