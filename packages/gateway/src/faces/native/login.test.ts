import { dialects } from '@sluice/protocol/dialects'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chunk } from '../../testing/sample-lines.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

const all = ['publish', 'subscribe', 'answer', 'run', 'admin']
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway({
    guests: { reader: ['subscribe:label:team=a', 'answer:own'], nobody: [] },
  })
})
afterEach(() => gateway.close())

const get = async (path: string, headers: Record<string, string> = {}) =>
  readJson(await gateway.request(path, { headers }))

describe('who the caller is', () => {
  test('is told to one without a credential, on loopback', async () => {
    expect(await get('/v1/login')).toEqual({ via: 'anonymous', actions: ['publish', 'subscribe'] })
  })

  test('is told with the actions that some grant names', async () => {
    expect(await get('/v1/login', gateway.asOwner)).toEqual({ subject: 'local', via: 'key', actions: all })
    expect(await get('/v1/login', gateway.as('reader'))).toEqual({
      subject: 'reader',
      via: 'key',
      actions: ['subscribe', 'answer'],
    })
    expect(await get('/v1/login', gateway.as('nobody'))).toMatchObject({ actions: [] })
  })

  test('is told of a login with its expiry, and no longer when it is too old', async () => {
    const { token, expiresAt } = await readJson(await gateway.post('/v1/login', { token: gateway.key }))
    const headers = { authorization: `Bearer ${token}` }
    expect(await get('/v1/login', headers)).toEqual({
      subject: 'local',
      via: 'login',
      actions: all,
      expiresAt,
    })
    gateway.clock.advance(Number(expiresAt) - gateway.clock.now())
    expect(await get('/v1/login', headers)).toMatchObject({ status: 401, code: 'token_expired' })
  })

  test('is told of a ticket, which only reads', async () => {
    await gateway.publish('sess_a', [chunk('a')], '?dialect=stream-event')
    const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: 'sess_a' }))
    expect(await get(`/v1/login?ticket=${String(ticket)}`)).toMatchObject({
      subject: 'local',
      via: 'ticket',
      actions: ['subscribe'],
    })
  })

  test('is not told to one whose credential is worth nothing', async () => {
    expect(await get('/v1/login', { authorization: 'Bearer wrong' })).toMatchObject({
      status: 401,
      code: 'unauthenticated',
    })
  })

  test('is asked for under the limit on guessing', async () => {
    const guess = async () =>
      (await gateway.request('/v1/login', { headers: { authorization: 'Bearer x' } })).status
    const answers = await Promise.all(Array.from({ length: 110 }, guess))
    expect(answers).toContain(429)
  })
})

test('the dialects are told in the order in which frames are offered to them', async () => {
  expect(await get('/v1/dialects')).toEqual({ dialects: dialects.map(({ id, title }) => ({ id, title })) })
  expect(await get('/v1/dialects', { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
})
