import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AgentSession, createClient } from '@sluice/client'
import type { Clock } from '@sluice/protocol'
import { pause } from '../../packages/conformance/src/pause.ts'

/** An agent that starts a session for each POST. */
export interface TriggeredAgent {
  readonly url: string
  /** What went wrong in its sessions. */
  readonly failures: readonly unknown[]
  close(): void
}

export interface GatewayAccess {
  readonly url: string
  readonly localKey: string
  /** The clock of the gateway. */
  readonly clock: Clock
}

/** A gateway gives every question 30 s after its own start (docs/aaep.md). */
const graceMs = 31_000

/**
 * Starts an agent that publishes to the gateway. The last of every three sessions has a question short enough
 * to time out; it waits until the gateway is old enough for that.
 */
export async function startTriggeredAgent(gateway: GatewayAccess): Promise<TriggeredAgent> {
  const { url, localKey, clock } = gateway
  const client = createClient({ url, token: localKey, clock })
  const startedAtMs = clock.now()
  const failures: unknown[] = []
  let sessions = 0
  const server = createServer((_request, response) => {
    sessions += 1
    const isShort = sessions % 3 === 0
    const readyMs = isShort ? startedAtMs + graceMs - clock.now() : 0
    pause(clock, readyMs)
      .then(() =>
        client.createSession({
          agent: { id: 'planner', version: '1.4.0' },
          request: 'Plan it.',
          language: 'en',
        }),
      )
      .then((session) => plan(session, clock, isShort ? 2000 : 60_000))
      .catch((error: unknown) => failures.push(error))
    response.writeHead(202).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    failures,
    close: () => server.close(),
  }
}

async function plan(session: AgentSession, clock: Clock, timeoutMs: number): Promise<void> {
  session.state('thinking')
  for (const percent of [10, 20, 30, 40, 50]) session.progress({ percent })
  await session.tool('search', { argsSummary: 'near Lisbon' }, () => 'found')
  for (const text of ['Évora 🏛 is near. ', 'It has a temple. ', 'It has walls. ', 'Shall I book it?'])
    session.text(text)
  const { decision } = await session.confirm({
    action: 'Book a room',
    consequence: 'The card is charged.',
    risk: 'high',
    irreversible: true,
    timeoutMs,
  })
  if (decision === 'accept') await session.tool('book', { risk: 'high', irreversible: true }, () => 'booked')
  session.state('thinking')
  await session.ask({ question: 'How many nights?', kinds: ['numeric'], timeoutMs: 60_000 })
  session.state('thinking')
  // Long enough after the question for changed terms to take effect.
  await pause(clock, 600)
  for (const text of ['All is done. ', 'Have a good trip.']) session.text(text)
  await session.tool('notes', {}, () => 'kept')
  await session.complete('The weekend is planned.')
}
