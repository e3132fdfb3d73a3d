import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createMemoryLog } from '@sluice/log'
import { createSystemClock, omitUndefined } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from './expect-problem.ts'
import { type Answered, type Asked, open, send } from './http-request.ts'
import { question, sessionRequests, socketRequests } from './session-requests.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

// All of the same length, so that answers can be compared to the byte.
const other = 'sess_victim00001'
const missing = 'sess_missing0001'
const deleted = 'sess_deleted0001'

/** A way to authenticate, and whether it may begin sessions under any id. */
interface Credential {
  readonly name: string
  readonly with: (asked: Asked) => Asked
  readonly canBegin: boolean
}

describe('a grant for one session', () => {
  let gateway: StartedGateway
  let mallory: string
  const credentials: Credential[] = []
  let count = 0

  const asLocal = (asked: Asked): Promise<Answered> => send(gateway.port, { ...asked, key: localKey })
  const bearing = (key: string) => (asked: Asked) => ({ ...asked, key })

  /** Creates a session with a question, inputs and a producer that numbers its events. */
  async function fill(id: string, key: string, labels: Record<string, string> = {}): Promise<string> {
    const agent = `${id.slice(5, 12)}-agent`
    const create = { method: 'POST', path: '/v1/sessions', key, body: { id, labels, context: `ctx-${id}` } }
    expect((await send(gateway.port, create)).status).toBe(201)
    const path = `/v1/sessions/${id}/events?dialect=sluice`
    const headers = { 'sluice-producer': 'numbering; epoch=0; seq=0' }
    const start = { kind: 'session-start', request: `secret of ${id}`, meta: { agent: { id: agent } } }
    const body = [start, question.event].map((event) => ({ events: [event] }))
    const published = await send(gateway.port, { method: 'POST', path, key, headers, body })
    expect(published.json).toMatchObject({ accepted: 2, findings: [] })
    await asLocal({ method: 'POST', path: `/v1/sessions/${id}/messages`, body: { text: 'to the agent' } })
    return id
  }

  beforeAll(async () => {
    gateway = await startGateway({ host: '0.0.0.0', heartbeatMs: 50 })
    const victim = gateway.addKey('victim', ['*:own'])
    mallory = gateway.addKey('mallory', ['*:own'])
    await fill(other, victim, { team: 'blue' })
    await fill(deleted, victim)
    expect((await asLocal({ method: 'DELETE', path: `/v1/sessions/${deleted}` })).status).toBe(204)

    const mine = await fill('sess_mallory0000', mallory)
    const add = (
      name: string,
      grants: readonly string[],
      { canBegin = false }: { readonly canBegin?: boolean | undefined } = {},
    ): string => {
      const key = gateway.addKey('mallory', grants)
      credentials.push({ name, with: bearing(key), canBegin })
      return key
    }
    add('everything on its own', ['*:own'], { canBegin: true })
    const byId = add('everything on sessions by their id', ['*:session:sess_mallory*'])
    add('everything on a label', ['*:label:team=red'])
    // The sessions of the victim claim to be of this agent; no credential does.
    add('everything on an agent', ['*:agent:mallory-agent', '*:agent:victim*'])
    for (const action of ['publish', 'subscribe', 'answer', 'run', 'admin'])
      add(`${action} on sessions by their id`, [`${action}:session:sess_mallory*`])
    add('nothing', [])
    const asked = { method: 'POST', path: '/v1/tickets', key: byId, body: { session: mine } }
    const { ticket } = (await send(gateway.port, asked)).json as { ticket: string } // 200, or the test fails
    const withTicket = ({ path, ...more }: Asked): Asked => ({
      ...more,
      path: `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`,
    })
    credentials.push({ name: 'a ticket', with: withTicket, canBegin: false })
    const login = await send(gateway.port, { method: 'POST', path: '/v1/login', body: { token: byId } })
    const { token } = login.json as { token: string } // 200, or the test fails
    credentials.push({ name: 'a login', with: bearing(token), canBegin: false })
  })
  afterAll(() => gateway.close())

  /** The parts of an answer that must not differ between sessions. */
  function comparable({ status, headers, text }: Answered, id: string): object {
    const { date: _date, 'sluice-request-id': _id, ...rest } = headers
    return { status, headers: rest, text: text.replaceAll(id, '<id>') }
  }

  test('the requests below reach every route that names a session, and work for who may', async () => {
    const named = gateway.routes.filter((route) => route.includes('/v1/sessions/:')).map(anonymize)
    const asked = new Set(sessionRequests.map(({ route }) => anonymize(route)))
    expect(named.filter((route) => !asked.has(route))).toEqual([])
    for (const request of sessionRequests) {
      count += 1
      const id = await fill(`sess_mallory${String(count).padStart(4, '0')}`, mallory)
      const { status } = await send(gateway.port, { ...request.asked(id), key: mallory })
      expect.soft(status, request.name).toBe(request.status)
    }
  })

  test('does not read, write, answer or delete another, nor tell it from one that is not there', async () => {
    const before = await asLocal({ path: `/v1/sessions/${other}` })
    for (const credential of credentials) {
      for (const request of sessionRequests) {
        const name = `${request.name} with ${credential.name}`
        const ask = async (id: string): Promise<object> =>
          comparable(await send(gateway.port, credential.with(request.asked(id))), id)
        const answer = await ask(other)
        expect.soft(answer, name).toMatchObject({ status: expect.toSatisfy((status) => status >= 400) })
        expect.soft(await ask(deleted), `${name}, deleted`).toEqual(answer)
        // A caller that may begin a session under any id learns which ids are taken, and nothing else.
        if (request.begins !== true || !credential.canBegin)
          expect.soft(await ask(missing), name).toEqual(answer)
      }
    }
    expect((await asLocal({ path: `/v1/sessions/${other}` })).json).toEqual(before.json)
    expect((await asLocal({ path: `/v1/sessions/${missing}` })).status).toBe(404)
  })

  test('does not find another by the id that its own agent gave it', async () => {
    const victim = gateway.addKey('victim', ['*:own'])
    const create = {
      method: 'POST',
      path: '/v1/sessions',
      key: victim,
      body: { foreign: 'run 7 of them', agent: 'a' },
    }
    const { json } = await send(gateway.port, create)
    const { id } = json as { id: string } // docs/http-api.md, Sessions
    for (const credential of credentials)
      for (const request of sessionRequests.filter(({ asked }) =>
        asked('').path.startsWith('/v1/sessions/'),
      )) {
        if (request.begins === true && credential.canBegin) continue
        const ask = async (foreign: string): Promise<object> => {
          const asked = request.asked(encodeURIComponent(foreign))
          const path = `${asked.path}${asked.path.includes('?') ? '&' : '?'}agent=a`
          return comparable(await send(gateway.port, credential.with({ ...asked, path })), foreign)
        }
        const answer = await ask('run 7 of them')
        expect.soft(answer, `${request.name} with ${credential.name}`).toEqual(await ask('run 8 of them'))
        expect.soft(JSON.stringify(answer)).not.toContain(id)
      }
  })

  test('does neither over WebSocket', async () => {
    const before = await asLocal({ path: `/v1/sessions/${other}` })
    const keys = [mallory, gateway.addKey('mallory', ['*:session:sess_mallory*'])]
    for (const [index, key] of keys.entries()) {
      const socket = await openSocket(gateway.port, { key })
      for (const { begins, ...request } of socketRequests) {
        const ask = (session: string) => socket.ask({ ...request, ref: 'r', session })
        const answer = await ask(other)
        expect(answer).toMatchObject({ type: 'error', code: 'unknown_session' })
        expect(await ask(deleted)).toEqual(answer)
        if (begins !== true || index > 0) expect(await ask(missing)).toEqual(answer)
      }
      expect(await socket.ask({ type: 'subscribe', ref: 'own', session: 'sess_mallory0000' })).toMatchObject({
        type: 'subscribed',
      })
      socket.close()
    }
    expect((await asLocal({ path: `/v1/sessions/${other}` })).json).toEqual(before.json)
  })

  test('lists no other, whatever is searched for', async () => {
    for (const query of [
      '',
      '?q=victim',
      '?label=team:blue',
      `?context=ctx-${other}`,
      '?state=waiting&limit=200',
    ])
      for (const { name, with: having } of credentials) {
        const { text, status } = await send(gateway.port, having({ path: `/v1/sessions${query}` }))
        expect.soft(status, name).toBe(200)
        expect.soft(text, `${name} ${query}`).not.toMatch(/victim|deleted/)
      }
  })

  test('sees nothing of another in the live list', async () => {
    const stream = await open(gateway.port, {
      path: '/v1/sessions?live=true',
      headers: { accept: 'text/event-stream' },
      key: mallory,
    })
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('error', () => {})
    await expect.poll(() => text).toContain('event: ready')
    const fleeting = await fill('sess_victim00002', gateway.addKey('victim', ['*:own']))
    await asLocal({ method: 'POST', path: `/v1/sessions/${fleeting}/end`, body: {} })
    await asLocal({ method: 'DELETE', path: `/v1/sessions/${fleeting}` })
    await fill('sess_mallory9999', mallory)
    await expect.poll(() => text).toContain('sess_mallory9999')
    expect(text).not.toContain('victim')
    stream.destroy()
  })

  test('gets no page mark that spells the id of another', async () => {
    const log = createMemoryLog()
    for (let index = 0; index < 5100; index += 1) {
      const lease = await log.openWriter(`sess_hidden${index}`)
      const info = { owner: 'victim', labels: {}, attributes: {} }
      await log.append({ lease, firstSeq: 0, records: [], at: 1_700_000_000_000 + index, info })
    }
    const crowded = await startGateway({ host: '0.0.0.0', log })
    try {
      const key = crowded.addKey('mallory', ['*:own'])
      const { json, status } = await send(crowded.port, { path: '/v1/sessions', key })
      expect(status).toBe(200)
      const { sessions, next } = json as { sessions: unknown[]; next: string } // 200, as just asserted
      expect(sessions).toEqual([])
      expect(Buffer.from(next, 'base64url').toString('latin1')).not.toContain('hidden')
      const rest = await send(crowded.port, { path: `/v1/sessions?page=${encodeURIComponent(next)}`, key })
      expect(rest.json).toEqual({ sessions: [] })
    } finally {
      await crowded.close()
    }
  })

  test('does not answer the question of another through a session of its own', async () => {
    const own = await fill('sess_mallory8888', mallory)
    const body = { token: 'tok_of_victim', decision: 'accept' }
    const asked = { ...question.event, token: 'tok_of_victim' }
    await asLocal({
      method: 'POST',
      path: `/v1/sessions/${other}/events?dialect=sluice`,
      body: { events: [asked] },
    })
    const before = await asLocal({ path: `/v1/sessions/${other}` })
    const answer = { method: 'POST', path: `/v1/sessions/${own}/answers`, key: mallory, body }
    expect((await send(gateway.port, answer)).json).toEqual({ counted: false })
    expect((await asLocal({ path: `/v1/sessions/${other}` })).json).toEqual(before.json)
    expect(before.text).toContain('tok_of_victim')
  })

  test('does not take over the session that another made with the same idempotency key', async () => {
    const create = {
      method: 'POST',
      path: '/v1/sessions',
      headers: { 'idempotency-key': 'the same' },
      body: {},
    }
    const victims = await send(gateway.port, { ...create, key: gateway.addKey('victim', ['*:own']) })
    const mallorys = await send(gateway.port, { ...create, key: mallory })
    expect([victims.status, mallorys.status]).toEqual([201, 201])
    expect(mallorys.headers['location']).not.toBe(victims.headers['location'])
  })

  test('as a ticket reads its session and does nothing else', async () => {
    const id = await fill('sess_mallory7777', mallory)
    const issue = (dialect?: string) =>
      send(gateway.port, {
        method: 'POST',
        path: '/v1/tickets',
        key: mallory,
        body: omitUndefined({ session: id, dialect }),
      })
    const { ticket } = (await issue()).json as { ticket: string } // 200, or the next line fails
    for (const { name, asked, status, route } of sessionRequests) {
      const { path, ...more } = asked(id)
      const separator = path.includes('?') ? '&' : '?'
      const answer = await send(gateway.port, { ...more, path: `${path}${separator}ticket=${ticket}` })
      const isRead = route.startsWith('GET') && !/inputs|producers/.test(route)
      if (isRead) expect.soft(answer.status, name).toBe(status)
      else expect.soft(answer.status, name).toSatisfy((got) => (got === status ? status >= 400 : got === 403))
    }
    const { ticket: bound } = (await issue('aaep')).json as { ticket: string } // the same
    const read = (path: string) => send(gateway.port, { path: `/v1/sessions/${id}${path}ticket=${bound}` })
    expect((await read('/events?dialect=aaep&')).status).toBe(200)
    expect((await read('/events?')).text).toContain('aaep')
    for (const path of ['/events?dialect=sluice&', '/entries/0?', '?'])
      expect.soft((await read(path)).status, path).toBe(403)
  })

  test('is not found by guessing', async () => {
    let now = Date.now()
    const patient = await startGateway({
      host: '0.0.0.0',
      clock: { ...createSystemClock(), now: () => now, monotonic: () => now },
    })
    try {
      const key = patient.addKey('mallory', ['*:own'])
      const path = '/v1/sessions/sess_mallory0000'
      const event = { type: 'answer_chunk', data: { content: 'x' } }
      await send(patient.port, {
        method: 'POST',
        path: `${path}/events?dialect=stream-event`,
        key,
        body: event,
      })
      const issue = { method: 'POST', path: '/v1/tickets', key, body: { session: 'sess_mallory0000' } }
      const { ticket } = (await send(patient.port, issue)).json as { ticket: string } // or the next line fails
      expect((await send(patient.port, { path: `${path}?ticket=${ticket}` })).status).toBe(200)
      const guess = (asked: Asked): Promise<Answered> => {
        now += 1000
        return send(patient.port, asked)
      }
      for (const [index, character] of [...ticket].entries()) {
        const changed = `${ticket.slice(0, index)}${character === 'A' ? 'Q' : 'A'}${ticket.slice(index + 1)}`
        const answer = await guess({ path: `${path}?ticket=${changed}` })
        expect.soft(answer.status, `place ${index}`).toBe(401)
      }
      const wrong = ['sluice_', `${key}x`, key.slice(0, -1), key.toUpperCase(), localKey.replace('k', 'j')]
      for (const each of wrong) expectProblem(await guess({ path, key: each }), 'unauthenticated')
      expectProblem(await guess({ path }), 'unauthenticated')

      // A caller that keeps guessing is slowed down; a caller with the right key is not.
      const hasty: number[] = []
      for (let tries = 0; tries < 150; tries += 1)
        hasty.push((await send(patient.port, { path, key: `${key}${tries}` })).status)
      expect(new Set(hasty)).toEqual(new Set([401, 429]))
      expectProblem(await send(patient.port, { path, key: `${key}x` }), 'rate_limited')
      expect((await send(patient.port, { path, key })).status).toBe(200)
    } finally {
      await patient.close()
    }
  })

  test('ends with its key: streams are reset, and nothing more is answered', async () => {
    const key = gateway.addKey('mallory', ['*:own'])
    const stream = await open(gateway.port, {
      path: '/v1/sessions/sess_mallory0000/events',
      headers: { accept: 'text/event-stream' },
      key,
    })
    const list = await open(gateway.port, {
      path: '/v1/sessions?live=true',
      headers: { accept: 'text/event-stream' },
      key,
    })
    const socket = await openSocket(gateway.port, { key })
    const ends = [stream, list].map((each) => once(each.resume(), 'error'))
    gateway.revokeKey(key)
    for (const [error] of await Promise.all(ends)) expect(error).toMatchObject({ code: 'ECONNRESET' })
    expect(await socket.closed).toBe(4401)
    expectProblem(await send(gateway.port, { path: '/v1/sessions', key }), 'unauthenticated')
  })

  test('ends with its key in the middle of an upload', async () => {
    const key = gateway.addKey('mallory', ['*:own'])
    const session = '/v1/sessions/sess_mallory6666'
    const upload = request({
      ...{ host: '127.0.0.1', port: gateway.port, method: 'POST' },
      path: `${session}/events?dialect=stream-event`,
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${key}` },
    })
    const answered = once(upload, 'response')
    const line = `${JSON.stringify({ type: 'answer_chunk', data: { content: 'x' } })}\n`
    upload.write(line)
    const stored = async () => (await asLocal({ path: session })).json
    await expect.poll(stored).toMatchObject({ cursor: '0' })
    gateway.revokeKey(key)
    upload.write(line)
    const [response] = (await answered) as [IncomingMessage] // what a request emits
    expect(response.statusCode).toBe(401)
    upload.destroy()
    expect(await stored()).toMatchObject({ cursor: '0' })
  })

  test('as a ticket or a key does not end a login', async () => {
    const key = gateway.addKey('mallory', ['*:own'])
    const login = await send(gateway.port, { method: 'POST', path: '/v1/login', body: { token: key } })
    const { token } = login.json as { token: string } // 200, or the test fails
    const asked = { method: 'POST', path: '/v1/tickets', key: token, body: { session: 'sess_mallory0000' } }
    const { ticket } = (await send(gateway.port, asked)).json as { ticket: string } // the same
    await send(gateway.port, { method: 'DELETE', path: `/v1/login?ticket=${ticket}` })
    await send(gateway.port, { method: 'DELETE', path: '/v1/login', key })
    const read = () => send(gateway.port, { path: '/v1/sessions/sess_mallory0000', key: token })
    expect((await read()).status).toBe(200)
    await send(gateway.port, { method: 'DELETE', path: '/v1/login', key: token })
    expectProblem(await read(), 'unauthenticated')
  })

  test('reads metrics from another machine only with admin', async () => {
    const metrics = { path: '/metrics' }
    expectProblem(await send(gateway.port, metrics), 'unauthenticated')
    const reader = gateway.addKey('reader', ['subscribe:*', 'publish:*', 'answer:*', 'run:*'])
    expectProblem(await send(gateway.port, { ...metrics, key: reader }), 'forbidden')
    const admin = gateway.addKey('admin', ['admin:own'])
    expect((await send(gateway.port, { ...metrics, key: admin })).status).toBe(200)
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/schemas'])
      expect((await send(gateway.port, { path })).status).toBe(200)
  })
})

/** A route without its parameter names. */
function anonymize(route: string): string {
  return route.replace(/:\w+/g, ':')
}
