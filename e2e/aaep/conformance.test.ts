import { expect, test } from 'vitest'
import { runSluice } from '../../packages/cli/src/testing/run-sluice.ts'
import { startGatewayProcess } from '../testing/gateway-process.ts'
import { startTriggeredAgent } from './conformance-agent.ts'

interface Report {
  readonly checks: readonly { readonly id: string; readonly verdict: string; readonly evidence?: unknown }[]
}

// Both wait more than they work.
test.concurrent.each(['sse', 'ws'])('a gateway passes every check over %s', async (transport) => {
  const gateway = await startGatewayProcess()
  const made = await runSluice(['key', 'create', '--data', gateway.data])
  expect(made.code).toBe(0)
  const agent = await startTriggeredAgent(gateway, Date.now())
  try {
    const { code, stdout, stderr } = await runSluice([
      ...['conformance', 'producer', gateway.url, '--transport', transport, '--token', gateway.localKey],
      ...['--trigger', `POST ${agent.url}`, '--json'],
    ])
    expect(agent.failures).toEqual([])
    const { checks }: Report = JSON.parse(stdout)
    const breaches = checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning')
    expect(breaches, `${JSON.stringify(breaches, undefined, 1)}\n${gateway.errors()}`).toEqual([])
    // What a gateway does not do: number its events, extend them, offer choices in this session.
    const notRun = checks.filter(({ verdict }) => verdict === 'not run').map(({ id }) => id)
    const plain = transport === 'ws' ? ['L1-SSE-001'] : []
    expect(notRun, stderr).toEqual(['L1-SEQ-005', ...plain, 'L2-CLAR-002'])
    expect(code).toBe(0)
  } finally {
    agent.close()
    await gateway.remove()
  }
})
