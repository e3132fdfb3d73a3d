import { createMemoryLog, type Log } from '@sluice/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aaepConfirmation, aaepEvent, chunk } from '../../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const say = (id: string, ...texts: readonly string[]) =>
  gateway.publish(id, texts.map(chunk), '?dialect=stream-event')
const get = async (path: string) => readJson(await gateway.request(path))
interface List {
  readonly sessions: readonly { readonly id: string; readonly state: string }[]
  readonly next?: string
}
const list = async (query = ''): Promise<List> => (await get(`/v1/sessions${query}`)) as unknown as List // what is tested
const idsOf = async (query: string) => (await list(query)).sessions.map(({ id }) => id)

describe('creating a session', () => {
  test('answers it with its address', async () => {
    const response = await gateway.post('/v1/sessions', {
      id: 'sess_a',
      context: 'talk',
      labels: { team: 'x' },
      attributes: { a: [1] },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/v1/sessions/sess_a')
    expect(await readJson(response)).toMatchObject({
      id: 'sess_a',
      owner: 'local',
      context: 'talk',
      labels: { team: 'x' },
      attributes: { a: [1] },
      seq: -1,
      state: 'open',
      questions: 0,
    })
    expect((await gateway.post('/v1/sessions', { id: 'sess_a' })).status).toBe(409)
  })

  test('can be repeated with a key', async () => {
    const once = { 'idempotency-key': 'k1' }
    const [first, again] = [
      await gateway.post('/v1/sessions', {}, once),
      await gateway.post('/v1/sessions', {}, once),
    ]
    expect([first.status, again.status]).toEqual([201, 200])
    expect((await readJson(again))['id']).toBe((await readJson(first))['id'])
    const other = await readJson(await gateway.post('/v1/sessions', {}, { 'idempotency-key': 'k2' }))
    expect(other['id']).toMatch(/^sess_[0-9a-f]{32}$/)
  })

  test('is told what is wrong and where', async () => {
    const wrong = [{ id: 'x' }, { labels: { 'a b': 'x' } }, { labels: 7 }, { more: 1 }, { context: '' }]
    for (const body of wrong)
      expect(await readJson(await gateway.post('/v1/sessions', body))).toMatchObject({ code: 'bad_request' })
    expect(await readJson(await gateway.post('/v1/sessions', { labels: 7 }))).toMatchObject({
      path: '/labels',
    })
    expect((await gateway.post('/v1/sessions', { attributes: { a: 'x'.repeat(20_000) } })).status).toBe(413)
    expect((await gateway.post('/v1/sessions', '{"id":')).status).toBe(400)
  })
})

describe('the snapshot', () => {
  test('is cut at one entry, and can be had as it was', async () => {
    await say('sess_a', 'One. ', 'Two. ')
    const whole = await get('/v1/sessions/sess_a')
    expect(whole).toMatchObject({ cursor: '1', session: { seq: 1, dialect: 'stream-event' } })
    expect(JSON.stringify(whole['snapshot'])).toContain('One. Two. ')
    const before = await get('/v1/sessions/sess_a?at=0')
    expect(before).toMatchObject({ cursor: '0' })
    expect(JSON.stringify(before['snapshot'])).not.toContain('Two')
    for (const at of ['2', 'x', '-1'])
      expect(await get(`/v1/sessions/sess_a?at=${at}`)).toMatchObject({ code: 'unknown_entry' })
  })

  test('of a session without entries is empty', async () => {
    await gateway.post('/v1/sessions', { id: 'sess_a' })
    expect(await get('/v1/sessions/sess_a')).toMatchObject({ cursor: '-1' })
  })
})

test('a session ends once, with an outcome', async () => {
  await say('sess_a', 'a')
  const ended = await gateway.post('/v1/sessions/sess_a/end', {
    outcome: 'failed',
    error: { message: 'It broke.' },
  })
  expect(await readJson(ended)).toEqual({ cursor: '1' })
  expect((await get('/v1/sessions/sess_a'))['session']).toMatchObject({ state: 'ended', outcome: 'failed' })
  expect(await readJson(await gateway.post('/v1/sessions/sess_a/end'))).toMatchObject({
    code: 'session_ended',
  })
  expect((await say('sess_a', 'late')).body).toMatchObject({
    accepted: 0,
    refused: [{ code: 'session_ended' }],
  })
  expect((await gateway.post('/v1/sessions/sess_none/end')).status).toBe(404)
})

test('a deleted session is gone for good', async () => {
  await say('sess_a', 'a')
  const init = { method: 'DELETE', headers: gateway.asOwner }
  expect((await gateway.request('/v1/sessions/sess_a', { method: 'DELETE' })).status).toBe(403)
  expect((await gateway.request('/v1/sessions/sess_a', init)).status).toBe(204)
  expect((await gateway.request('/v1/sessions/sess_a')).status).toBe(410)
  expect((await say('sess_a', 'b')).status).toBe(410)
  expect((await gateway.post('/v1/sessions', { id: 'sess_a' })).status).toBe(410)
  expect(await idsOf('')).toEqual([])
})

describe('the list', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await gateway.post('/v1/sessions', {
        id: `sess_${name}`,
        labels: { name, kind: 'test' },
        context: `talk-${name}`,
      })
      gateway.clock.advance(1)
    }
    await gateway.post('/v1/sessions/sess_b/end')
    const start = aaepEvent(
      { session: 'sess_c', name: 'session.started', id: 's' },
      { summary_normal: 'Go.' },
    )
    await gateway.publish('sess_c', [start, aaepConfirmation('sess_c', 'q', 'rpl_1')], '?dialect=aaep')
  })

  test('is newest first and comes in pages that miss none', async () => {
    expect(await idsOf('')).toEqual(['sess_e', 'sess_d', 'sess_c', 'sess_b', 'sess_a'])
    const walked: string[] = []
    let page = await list('?limit=2')
    for (let turns = 0; turns < 5; turns++) {
      walked.push(...page.sessions.map(({ id }) => id))
      if (page.next === undefined) break
      page = await list(`?limit=2&page=${page.next}`)
    }
    expect(walked).toEqual(await idsOf(''))
  })

  test('is filtered by state, context, label and text', async () => {
    expect(await idsOf('?state=ended')).toEqual(['sess_b'])
    expect(await idsOf('?state=waiting')).toEqual(['sess_c'])
    expect(await idsOf('?state=open')).toEqual(['sess_e', 'sess_d', 'sess_a'])
    expect(await idsOf('?context=talk-d')).toEqual(['sess_d'])
    expect(await idsOf('?label=name:a&label=kind:test')).toEqual(['sess_a'])
    expect(await idsOf('?label=name:a&label=kind:other')).toEqual([])
    expect(await idsOf('?q=SESS_D')).toEqual(['sess_d'])
    expect(await idsOf('?q=tester')).toEqual(['sess_c'])
  })

  test('refuses what it does not understand', async () => {
    for (const query of ['?state=odd', '?label=x', '?page=%21', '?limit=0', '?live=x'])
      expect(await get(`/v1/sessions${query}`)).toMatchObject({ code: 'bad_request' })
  })

  test('as a stream has the page, then every change', async () => {
    const accept = { headers: { accept: 'text/event-stream' } }
    const reader = readEvents(await gateway.request('/v1/sessions?live=true&limit=2', accept))
    const names = async (count: number) => {
      const found: string[] = []
      for (let index = 0; index < count; index++) {
        const message = await reader.next()
        const { id = '', state = '' } = JSON.parse(message?.data ?? '{}') as { id?: string; state?: string }
        found.push([message?.event, id, state].join(' ').trim())
      }
      return found
    }
    expect(await names(3)).toEqual(['session sess_d open', 'session sess_e open', 'ready'])
    await say('sess_f', 'a')
    await gateway.post('/v1/sessions/sess_f/end')
    await gateway.request('/v1/sessions/sess_f', { method: 'DELETE', headers: gateway.asOwner })
    expect(await names(3)).toEqual(['session sess_f open', 'session sess_f ended', 'deleted sess_f'])
    gateway.clock.advance(31_000)
    await say('sess_g', 'a')
    await names(1)
    expect(reader.text).toContain('\n\n: \n\n')
    await reader.close()
  })
})

test('a reader of the list who leaves while it is made leaves nothing behind', async () => {
  const log = createMemoryLog()
  let proceed = (): void => {}
  let isAsked = false
  const slow: Log = {
    ...log,
    list: async (options) => {
      isAsked = true
      await new Promise<void>((resolve) => {
        proceed = resolve
      })
      return log.list(options)
    },
  }
  const other = await startGateway({ log: slow })
  const timers = other.clock.timers
  const leaving = new AbortController()
  const asked = other
    .request('/v1/sessions?live=true', { headers: { accept: 'text/event-stream' }, signal: leaving.signal })
    .catch(() => undefined)
  await until(() => isAsked)
  leaving.abort()
  await asked
  for (let turns = 0; turns < 50; turns++) await new Promise((run) => setImmediate(run))
  proceed()
  await until(() => other.clock.timers === timers)
  await other.close()
})

test('closing sends the readers of the list away at once', async () => {
  const other = await startGateway()
  const reader = readEvents(
    await other.request('/v1/sessions?live=true', { headers: { accept: 'text/event-stream' } }),
  )
  await reader.next()
  const closed = other.gateway.close()
  await expect(reader.rest()).rejects.toThrow()
  await closed
})
