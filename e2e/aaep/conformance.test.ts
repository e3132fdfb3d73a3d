import { expect, test } from 'vitest'
import { callConformance } from '../../packages/cli/src/testing/call-conformance.ts'
import { createVirtualClock } from '../../packages/conformance/src/testing/virtual-clock.ts'
import { localKey, startGateway } from '../hostile/start-gateway.ts'
import { startTriggeredAgent } from './conformance-agent.ts'

interface Report {
  readonly checks: readonly { readonly id: string; readonly verdict: string; readonly evidence?: unknown }[]
}

// Gateway, agent and suite share one process and one clock, so that nothing waits for real time.
test.each(['sse', 'ws'])('a gateway passes every check over %s', async (transport) => {
  const clock = createVirtualClock()
  const gateway = await startGateway({ clock, isSigned: true })
  const agent = await startTriggeredAgent({ url: gateway.url, localKey, clock })
  try {
    // Signing happens once, in the thread pool, which the clock does not see: no timeout may run during it.
    const accept = 'application/jose'
    await fetch(`${gateway.url}/.well-known/aaep-manifest.json`, { headers: { accept } })
    const { code, stdout, stderr } = await callConformance(
      [
        ...['producer', gateway.url, '--transport', transport, '--token', localKey],
        ...['--trigger', `POST ${agent.url}`, '--json'],
      ],
      clock,
    )
    expect(agent.failures).toEqual([])
    const { checks }: Report = JSON.parse(stdout)
    const breaches = checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning')
    expect(breaches, JSON.stringify(breaches, undefined, 1)).toEqual([])
    expect(gateway.failures).toEqual([])
    // What a gateway does not do: number its events, extend them, offer choices in this session.
    const notRun = checks.filter(({ verdict }) => verdict === 'not run').map(({ id }) => id)
    const plain = transport === 'ws' ? ['L1-SSE-001'] : []
    expect(notRun, stderr).toEqual(['L1-SEQ-005', ...plain, 'L2-CLAR-002'])
    expect(code).toBe(0)
  } finally {
    agent.close()
    await gateway.close()
  }
})
