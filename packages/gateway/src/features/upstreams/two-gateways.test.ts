import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Log } from '@sluice/log'
import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { defaultConfig } from '../../config/config.ts'
import { aaepConfirmation, aaepEvent, chunk } from '../../testing/sample-lines.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

/** The longest wait of createBackoff(). */
const maxBackoffMs = 30_000

const open: StartedGateway[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

interface Followed {
  readonly url: string
  readonly token?: string
}

async function start(port: number, upstreams: readonly Followed[], log?: Log): Promise<StartedGateway> {
  const followed = upstreams.map((each) => ({ allowPrivate: true, ...each }))
  const config = { port, aaep: { ...defaultConfig.aaep, upstreams: followed } }
  // The clock does not move while a test polls.
  const limits = { requestsPerSecond: 1_000_000 }
  const gateway = await startGateway(omitUndefined({ config, limits, log }))
  open.push(gateway)
  return gateway
}

/** A log with a running session of an agent. */
async function logWith(session: string, agent: string): Promise<Log> {
  const gateway = await start(0, [])
  await gateway.publish(session, [started(session, '1', agent)])
  open.splice(open.indexOf(gateway), 1)
  await gateway.close()
  return gateway.log
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a server on TCP has one
  server.close()
  await once(server, 'close')
  return port
}

const snapshot = async (gateway: StartedGateway, session: string): Promise<JsonObject> =>
  (await readJson(await gateway.request(`/v1/sessions/${session}`))) as JsonObject // docs/http-api.md

const sessionsOf = async (gateway: StartedGateway): Promise<readonly JsonObject[]> =>
  (await readJson(await gateway.request('/v1/sessions')))['sessions'] as JsonObject[] // docs/http-api.md

const isConnected = async (gateway: StartedGateway): Promise<boolean> => {
  gateway.clock.advance(maxBackoffMs)
  return (await (await gateway.request('/metrics')).text()).includes(
    'sluice_upstreams{state="connected"} 1\n',
  )
}

const started = (session: string, id: string, agent_id = 'tester') =>
  aaepEvent(
    { session, name: 'session.started', id },
    { summary_normal: 'It begins.', producer: { agent_id } },
  )

const done = (session: string, id: string, agent_id = 'tester') =>
  aaepEvent({ session, name: 'session.completed', id }, { summary_normal: 'Done.', producer: { agent_id } })

test('a gateway has the sessions of the one that it follows, and sends answers back', async () => {
  const far = await start(0, [])
  const near = await start(0, [{ url: far.url, token: far.key }])
  await until(() => isConnected(near))
  await far.publish('sess_a', [
    started('sess_a', '1'),
    aaepEvent(
      { session: 'sess_a', name: 'output.streaming', id: '2' },
      { chunk: 'Hello. ', position: 0, complete: true },
    ),
    aaepConfirmation('sess_a', '3', 'rpl_1'),
  ])
  await far.publish('sess_b', [chunk('In another dialect.')], '?dialect=stream-event')
  await until(async () => (await sessionsOf(near)).some(({ questions }) => questions === 1))
  await near.post('/v1/sessions/sess_a/answers', { token: 'rpl_1', decision: 'accept' })
  await until(async () => (await sessionsOf(far)).every(({ questions }) => questions === 0))
  const { questions } = await readJson(
    await far.request('/v1/sessions/sess_a/questions', { headers: far.asOwner }),
  )
  expect(questions).toEqual([expect.objectContaining({ token: 'rpl_1', decision: 'accept' })])
  await far.publish('sess_a', [done('sess_a', '4')])
  await until(async () => (await sessionsOf(near)).some(({ state }) => state === 'ended'))
  expect(await snapshot(near, 'sess_a')).toMatchObject({ session: { outcome: 'completed', questions: 0 } })
  await until(async () => (await sessionsOf(near)).length === 2)
})

test('two gateways that follow each other hold every session once, and each event of it once', async () => {
  const [portA, portB] = [await findPort(), await findPort()]
  const [logA, logB] = [await logWith('sess_both', 'north'), await logWith('sess_both', 'south')]
  const a = await start(portA, [{ url: `http://127.0.0.1:${portB}` }], logA)
  const b = await start(portB, [{ url: `http://127.0.0.1:${portA}` }], logB)
  await until(async () => (await isConnected(a)) && (await isConnected(b)))
  await a.publish('sess_a', [started('sess_a', '1')])
  await b.publish('sess_b', [started('sess_b', '1')])
  await a.publish('sess_c', [chunk('Text '), chunk('of another dialect.')], '?dialect=stream-event')
  await a.publish('sess_both', [done('sess_both', '2', 'north')])
  await b.publish('sess_both', [done('sess_both', '2', 'south')])
  await until(async () => (await sessionsOf(a)).length === 5 && (await sessionsOf(b)).length === 5)
  await a.publish('sess_a', [aaepConfirmation('sess_a', '2', 'rpl_1'), done('sess_a', '3')])
  await b.publish('sess_b', [done('sess_b', '2')])
  const ended = async (gateway: StartedGateway) =>
    (await sessionsOf(gateway)).filter(({ state }) => state === 'ended')
  await until(async () => (await ended(a)).length === 4 && (await ended(b)).length === 4)
  // An event that circulated would have arrived before these.
  await a.publish('sess_last', [started('sess_last', '1')])
  await until(async () => (await sessionsOf(b)).some(({ id }) => id === 'sess_last'))
  await b.publish('sess_end', [started('sess_end', '1')])
  await until(async () => (await sessionsOf(a)).some(({ id }) => id === 'sess_end'))
  const seqs = async (gateway: StartedGateway) =>
    Object.fromEntries((await sessionsOf(gateway)).map(({ id, seq }) => [id, seq]))
  const [first, second] = [await seqs(a), await seqs(b)]
  expect(Object.keys(first)).toHaveLength(7)
  expect(Object.keys(second)).toHaveLength(7)
  expect(first).toMatchObject({ sess_a: 2, sess_b: 1, sess_both: 1 })
  expect(second).toMatchObject({ sess_a: 2, sess_b: 1, sess_both: 1 })
})
