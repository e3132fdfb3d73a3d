import { createMemoryLog, type Log } from '@sluice/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { openTestDirectory } from '../../testing/open-test-directory.ts'
import { chunk, published } from '../../testing/sample-lines.ts'
import { connectSocket } from '../../testing/socket-client.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { createStoredBytes } from './stored-bytes.ts'

const limit = 10_000
const large = chunk('x'.repeat(2800))
let log: Log
let gateway: StartedGateway

const start = async (): Promise<void> => {
  const limits = { storedBytesPerSubject: limit }
  const guests = { ada: ['publish:own', 'answer:own', 'admin:own'], bob: ['publish:own'] }
  gateway = await startGateway({ log, limits, guests })
}
beforeEach(async () => {
  log = createMemoryLog()
  await start()
})
afterEach(() => gateway.close())

const publish = async (guest: string, session: string, line: string): Promise<unknown> => {
  const query = line.includes('"v":1') ? '' : '?dialect=stream-event'
  const response = await gateway.request(`/v1/sessions/${session}/events${query}`, {
    method: 'POST',
    headers: { ...gateway.as(guest), 'content-type': 'application/json' },
    body: line,
  })
  const { code } = await readJson(response)
  return code ?? response.status
}

test('a subject stores up to its quota, in all its sessions, also after a restart; others do not notice', async () => {
  expect(await publish('ada', 'sess_a', large)).toBe(200)
  expect(await publish('ada', 'sess_b', large)).toBe(200)
  for (const session of ['sess_a', 'sess_b', 'sess_new'])
    expect(await publish('ada', session, chunk('a'))).toBe('quota_exceeded')
  expect(await publish('bob', 'sess_c', large)).toBe(200)
  await gateway.close()
  await start()
  expect(await publish('ada', 'sess_a', chunk('a'))).toBe('quota_exceeded')
  expect(await publish('bob', 'sess_c', chunk('a'))).toBe(200)
})

test('a full quota is told by every entrance, and the answers of people are stored all the same', async () => {
  const ask = published({ kind: 'question-open', question: 'confirmation', token: 't', text: 'Really?' })
  await publish('ada', 'sess_a', ask)
  await publish('ada', 'sess_a', large)
  await publish('ada', 'sess_a', large)
  const problem = await gateway.request('/v1/sessions', {
    method: 'POST',
    headers: { ...gateway.as('ada'), 'content-type': 'application/json' },
    body: '{}',
  })
  expect(problem.status).toBe(507)
  expect(await readJson(problem)).toMatchObject({ code: 'quota_exceeded', limit, retryable: false })
  const socket = await connectSocket(gateway.url, { headers: gateway.as('ada') })
  socket.send({
    type: 'publish',
    ref: 'p',
    session: 'sess_a',
    dialect: 'stream-event',
    events: [JSON.parse(chunk('a'))],
  })
  expect(await socket.next()).toMatchObject({ type: 'error', ref: 'p', code: 'quota_exceeded' })
  socket.send({ type: 'answer', ref: 'a', session: 'sess_a', token: 't', decision: 'accept' })
  expect(await socket.next()).toMatchObject({ type: 'done', ref: 'a', counted: true })
  socket.close()
})

test('a quota is free again when sessions are deleted', async () => {
  await publish('ada', 'sess_a', large)
  await publish('ada', 'sess_b', large)
  expect(await publish('ada', 'sess_b', chunk('a'))).toBe('quota_exceeded')
  await gateway.request('/v1/sessions/sess_a', { method: 'DELETE', headers: gateway.as('ada') })
  expect(await publish('ada', 'sess_b', chunk('a'))).toBe(200)
})

test('a quota is free again when retention removes sessions', async () => {
  const stored = createStoredBytes(log, limit)
  await publish('ada', 'sess_a', large)
  await publish('ada', 'sess_a', published({ kind: 'session-end', outcome: 'completed' }))
  await publish('ada', 'sess_b', large)
  const { directory } = openTestDirectory(log, { stored })
  await stored.start()
  expect(() => stored.assertRoom('ada')).toThrow(expect.objectContaining({ code: 'quota_exceeded' }))
  expect(await directory.retire({ endedBefore: Number.MAX_SAFE_INTEGER })).toBe(1)
  stored.assertRoom('ada')
  await directory.close()
})

test('a request that the log does not store takes nothing of a quota', async () => {
  await gateway.close()
  const faulty = createFaultyLog(createMemoryLog())
  log = faulty
  await start()
  for (let tries = 0; tries < 3; tries++) {
    faulty.failAppends('storage_full', 0)
    expect(await publish('ada', 'sess_a', large)).toBe('storage_full')
  }
  expect(await publish('ada', 'sess_a', large)).toBe(200)
})
