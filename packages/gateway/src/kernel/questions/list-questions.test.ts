import { afterEach, beforeEach, expect, test } from 'vitest'
import { chunk, published } from '../../testing/sample-lines.ts'
import { connectSocket } from '../../testing/socket-client.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_audited'
let gateway: StartedGateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const ask = (question: object) =>
  gateway.publish(id, [published({ kind: 'question-open', text: 'Well?', ...question } as never)])
const get = async (path: string) =>
  readJson(await gateway.request(`/v1/sessions/${id}/${path}`, { headers: gateway.asOwner }))
const at = expect.any(Number)

test('the audit tells every question and what became of it', async () => {
  await gateway.publish(id, [chunk('"kind":"question-open"')])
  expect(await get('questions')).toEqual({ questions: [] })
  await ask({
    question: 'confirmation',
    token: 'a',
    risk: 'high',
    irreversible: true,
    timeoutMs: 10_000,
    default: 'reject',
  })
  await ask({ question: 'clarification', token: 'b' })
  await ask({ question: 'authorization', token: 'c' })
  await gateway.post(`/v1/sessions/${id}/answers`, { token: 'b', response: 7 })
  const socket = await connectSocket(gateway.url, { headers: gateway.asOwner })
  socket.send({ type: 'answer', ref: '1', session: id, token: 'c', decision: 'accept' })
  await socket.nextOf('done')
  gateway.clock.advance(10_000)
  await until(async () => (await gateway.log.head(id))?.lastSeq === 6)
  await ask({ question: 'confirmation', token: 'd' })
  const { questions } = await get('questions')
  expect(questions).toEqual([
    {
      token: 'a',
      question: 'confirmation',
      text: 'Well?',
      risk: 'high',
      irreversible: true,
      timeoutMs: 10_000,
      default: 'reject',
      openedAt: at,
      seq: 1,
      how: 'timeout',
      decision: 'reject',
      closedAt: at,
      closedSeq: 6,
    },
    {
      token: 'b',
      question: 'clarification',
      text: 'Well?',
      openedAt: at,
      seq: 2,
      how: 'answered',
      response: 7,
      by: 'local',
      via: 'http',
      closedAt: at,
      closedSeq: 4,
    },
    {
      token: 'c',
      question: 'authorization',
      text: 'Well?',
      openedAt: at,
      seq: 3,
      how: 'answered',
      decision: 'accept',
      by: 'local',
      via: 'ws',
      closedAt: at,
      closedSeq: 5,
    },
    { token: 'd', question: 'confirmation', text: 'Well?', openedAt: at, seq: 7 },
  ])
  socket.close()
})

test('the audit tells the token of the agent where that is another one', async () => {
  await gateway.publish('sess_other', [
    published({ kind: 'question-open', question: 'confirmation', token: 'a', text: 'Well?' }),
  ])
  await ask({ question: 'confirmation', token: 'a' })
  expect(await get('questions')).toMatchObject({
    questions: [{ agentToken: 'a', token: expect.stringMatching(/^rpl_/) }],
  })
})

test('the audit of an unknown session is none', async () => {
  const response = await gateway.request('/v1/sessions/sess_none/questions')
  expect(response.status).toBe(404)
})

test('the audit is not for a ticket of one dialect', async () => {
  await ask({ question: 'confirmation', token: 'a' })
  const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: id, dialect: 'aaep' }))
  expect((await gateway.request(`/v1/sessions/${id}/questions?ticket=${String(ticket)}`)).status).toBe(403)
})
