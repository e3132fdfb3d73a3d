import { afterEach, beforeEach, expect, test } from 'vitest'
import { aaepConfirmation, aaepEvent } from '../../testing/sample-lines.ts'
import { createScriptedAgent, hosted } from '../../testing/scripted-agent.ts'
import {
  type EventReader,
  readEvents,
  readJson,
  type StartedGateway,
  startGateway,
} from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_facade'
let gateway: StartedGateway
let readers: EventReader[]
let asked: string[]

beforeEach(async () => {
  readers = []
  asked = []
  gateway = await startGateway({
    agents: {
      one: hosted(
        createScriptedAgent(async ({ request }) => {
          asked.push(request.prompt)
          return undefined
        }),
      ),
    },
  })
})
afterEach(async () => {
  for (const reader of readers) await reader.close().catch(() => {})
  await gateway.close()
})

const publish = (...lines: readonly string[]) => gateway.publish(id, lines, '?dialect=aaep')
const started = aaepEvent(
  { session: id, name: 'session.started', id: 'one' },
  { summary_normal: 'It begins.' },
)

async function read(query = '', headers: object = gateway.asOwner): Promise<EventReader> {
  const reader = readEvents(await gateway.request(`/events${query}`, { headers: { ...headers } }))
  readers.push(reader)
  return reader
}

test('GET /events sends bare frames of all sessions that begin, and of one from its start', async () => {
  const all = await read()
  await publish(started)
  const event = await all.next()
  expect(JSON.parse(event?.data ?? '')).toMatchObject({ type: 'aaep:agent.session.started', session_id: id })
  expect(all.text).not.toContain('event:')
  const one = await read(`?session=${id}`)
  expect((await one.next())?.data).toContain('session.started')
})

test('GET /events goes on where a reader of one session was', async () => {
  await publish(started)
  const first = await (await read(`?session=${id}`)).next()
  await publish(aaepEvent({ session: id, name: 'session.completed', id: 'two' }, { summary_normal: 'Done.' }))
  const again = await read(`?session=${id}`, { ...gateway.asOwner, 'last-event-id': first?.id ?? '' })
  const rest = await again.rest()
  expect(rest.map(({ data }) => JSON.parse(data).type)).not.toContain('aaep:agent.session.started')
  const last = { ...gateway.asOwner, 'last-event-id': rest.at(-1)?.id ?? '' }
  expect((await read(`?session=${id}`, last)).response.status).toBe(204)
})

test('GET /events leaves nothing behind when its reader goes', async () => {
  await publish(started)
  const marks = async () => (await gateway.log.marks('aaep-subscription')).length
  const reader = await read(`?session=${id}`)
  await reader.next()
  expect(await marks()).toBe(1)
  await reader.close()
  await until(async () => (await marks()) === 0)
})

test.each([
  ['without subscription and time', {}],
  ['with an id that is made up', { subscription_id: 'sub_quickstart-demo' }],
  ['with fields of its own', { decision_reason: 'because', timestamp: 'yesterday', user_id: 1 }],
])('POST /messages takes a reply %s', async (_, fields) => {
  await publish(started, aaepConfirmation(id, 'ask', 'rpl_q'))
  const reply = { type: 'confirmation.reply', reply_token: 'rpl_q', decision: 'accept', ...fields }
  const response = await gateway.post('/messages', reply)
  expect(response.status).toBe(200)
  expect(await readJson(response)).toEqual({ status: 'received' })
  expect(response.headers.get('sluice-counted')).toBe('true')
  const { questions } = await readJson(await gateway.request(`/v1/sessions/${id}/questions`))
  expect(questions).toMatchObject([{ decision: 'accept', by: 'local' }])
})

test('POST /messages receives what is of no use, and refuses what is no reply', async () => {
  const reply = { type: 'clarification.reply', reply_token: 'rpl_none', response: true }
  expect((await gateway.post('/messages', reply)).status).toBe(200)
  for (const body of ['[]', '{', '{}', '{"type":"subscription.close"}', '{"type":"confirmation.reply"}'])
    expect((await gateway.post('/messages', body)).status).toBe(400)
})

test('POST /sessions asks the agent', async () => {
  const response = await gateway.post('/sessions', { user_message: 'Hello', user_id: 'ann' })
  expect(response.status).toBe(202)
  expect(await readJson(response)).toEqual({
    status: 'started',
    user_message: 'Hello',
    session_id: expect.stringMatching(/^sess_/),
  })
  await until(() => asked.length > 0)
  expect(asked).toEqual(['Hello'])
  for (const body of ['{}', '{"user_message":""}', `{"user_message":"${'x'.repeat(20_000)}"}`])
    expect((await gateway.post('/sessions', body)).status).toBe(400)
})

test('POST /sessions says that there is no agent', async () => {
  const bare = await startGateway()
  const response = await bare.post('/sessions', { user_message: 'Hello' })
  expect(response.status).toBe(503)
  expect(await readJson(response)).toMatchObject({ code: 'no_agent', retryable: false })
  await bare.close()
})
