import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSluice } from '../../packages/cli/src/testing/run-sluice.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { startTriggeredAgent, type TriggeredAgent } from './conformance-agent.ts'

let gateway: GatewayProcess
let agent: TriggeredAgent

beforeAll(async () => {
  gateway = await startGatewayProcess()
  const { code } = await runSluice(['key', 'create', '--data', gateway.data])
  expect(code).toBe(0)
  agent = await startTriggeredAgent(gateway, Date.now())
})
afterAll(async () => {
  agent?.close()
  await gateway?.remove()
})

interface Report {
  readonly checks: readonly { readonly id: string; readonly verdict: string; readonly evidence?: unknown }[]
}

test.each(['sse', 'ws'])('a gateway passes every check over %s', async (transport) => {
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
  expect(notRun, stderr).toEqual(['L1-SEQ-005', ...(transport === 'ws' ? ['L1-SSE-001'] : []), 'L2-CLAR-002'])
  expect(code).toBe(0)
})
