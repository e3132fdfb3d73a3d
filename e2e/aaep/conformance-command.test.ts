import { expect, test } from 'vitest'
import { callConformance } from '../../packages/cli/src/testing/call-conformance.ts'
import { healthy } from '../../packages/conformance/src/testing/behaviour.ts'
import { startProducer } from '../../packages/conformance/src/testing/broken-producer.ts'
import { createVirtualClock } from '../../packages/conformance/src/testing/virtual-clock.ts'

test('the command ends with 1 when a check failed, and shows no payload', async () => {
  const secret = 'sk-0123456789abcdef0123'
  const clock = createVirtualClock()
  const producer = await startProducer(
    {
      ...healthy,
      emit: (event) => [
        { ...event, ...(String(event['type']).endsWith('invoked') && { args_summary: secret, tool: 'a b' }) },
      ],
    },
    clock,
  )
  try {
    const trigger = `POST ${producer.url}/sessions {}`
    const args = ['producer', producer.url, '--trigger', trigger, '--level', '1']
    const text = await callConformance(args, clock)
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/failed {3}L1-EVT-001/)
    expect(text.stdout).toMatch(/warning {2}L1-SAFE-001/)
    expect(text.stdout).toMatch(/accept\/main evt_\w+ \/tool: /)
    expect(text.stdout).toMatch(/\d+ passed, \d+ failed, 1 warning, \d+ not run\n$/)
    const json = await callConformance(
      [...args, '--json', '--only', 'l1-evt-001', '--only', 'L1-ENV-002'],
      clock,
    )
    expect(json.code).toBe(1)
    const report: unknown = JSON.parse(json.stdout)
    expect(report).toMatchObject({ counts: { passed: 1, failed: 1, warning: 0, 'not run': 0 } })
    expect(`${text.stdout}${text.stderr}${json.stdout}`).not.toContain(secret)
  } finally {
    await producer.close()
  }
})
