import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, send } from '../hostile/http-request.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { findNginx, type Nginx, startNginx } from '../testing/nginx.ts'
import { publishText } from '../testing/publish.ts'
import { openClient } from './client-reader.ts'
import { post, readAll } from './gateway-requests.ts'

const nginx = findNginx()
const media = { 'server-sent events': 'text/event-stream', NDJSON: 'application/x-ndjson' } as const

/** A stream, and how it ended. */
interface Watched {
  text(): string
  /** `clean`: the body was complete. `dropped`: it broke off. */
  readonly end: Promise<'clean' | 'dropped'>
}

function toChunk(text: string): string {
  return JSON.stringify({ type: 'answer_chunk', data: { content: text } })
}

function watch(stream: IncomingMessage): Watched {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const end = new Promise<'clean' | 'dropped'>((resolve) => {
    stream.on('end', () => resolve('clean'))
    stream.on('error', () => resolve('dropped'))
    stream.on('close', () => resolve('dropped')) // no effect after the others
  })
  return { text: () => text, end }
}

describe.skipIf(nginx === undefined)('behind nginx with nothing but proxy_pass', () => {
  let gateway: GatewayProcess
  let proxy: Nginx
  let count = 0
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      settings: { SLUICE_HEARTBEAT_MS: '200ms', SLUICE_AUTH_ANONYMOUS: 'true' },
    })
    proxy = await startNginx(nginx ?? '', gateway.url)
  })
  afterAll(async () => {
    await proxy?.stop()
    await gateway?.remove()
  })

  const say = (session: string, text: string) =>
    publishText(proxy.url, session, { dialect: 'stream-event', text: toChunk(text) })

  async function begin(accept: string): Promise<{ session: string; stream: Watched }> {
    count += 1
    const session = `sess_proxied${count}`
    await say(session, 'begin')
    const path = `/v1/sessions/${session}/events?after=now`
    const response = await open(proxy.port, { path, headers: { accept } })
    expect(response.statusCode).toBe(200)
    return { session, stream: watch(response) }
  }

  test.each(Object.entries(media))(
    'each frame of %s arrives before the next is published',
    async (_name, accept) => {
      const { session, stream } = await begin(accept)
      for (let index = 0; index < 50; index += 1) {
        await say(session, `frame ${index};`)
        await expect.poll(stream.text, { interval: 2 }).toContain(`frame ${index};`)
      }
      await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
      expect(await stream.end).toBe('clean')
    },
  )

  test('a heartbeat arrives too', async () => {
    const { session, stream } = await begin(media['server-sent events'])
    await expect.poll(stream.text).toMatch(/^:/m)
    await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
    expect(await stream.end).toBe('clean')
    expect(stream.text()).toContain('event: sluice.end')
  })

  test('a reader that stands still is not buffered for, and gets everything once it reads on', async () => {
    const session = 'sess_slow'
    await say(session, 'begin')
    const path = `/v1/sessions/${session}/events?dialect=stream-event&after=0`
    const response = await open(proxy.port, { path, headers: { accept: media['server-sent events'] } })
    const isStalled = async () =>
      /^sluice_stalled_subscribers 1$/m.test(await (await fetch(`${gateway.url}/metrics`)).text())
    const text = 'x'.repeat(900_000)
    let published = 0
    let stalls = 0
    // As much as all sockets on the way hold; nginx itself would hold a gigabyte if it buffered.
    while (published < 64 && stalls < 3) {
      await publishText(gateway.url, session, { dialect: 'stream-event', text: toChunk(text) })
      published += 1
      stalls = (await isStalled()) ? stalls + 1 : 0
    }
    expect(stalls).toBe(3)
    await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length // no encoding is set
    expect(bytes).toBeGreaterThan(published * text.length)
  })

  test('a body of many lines passes', async () => {
    const session = 'sess_uploaded'
    const line = `${JSON.stringify({ type: 'answer_chunk', data: { content: 'x' } })}\n`
    const path = `/v1/sessions/${session}/events?dialect=stream-event`
    const answer = await send(proxy.port, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-ndjson' },
      body: line.repeat(200),
    })
    expect(answer.json).toMatchObject({ accepted: 200, cursor: '199' })
  })

  const drops = {
    'the session is deleted': async (session: string) => {
      await fetch(`${gateway.url}/v1/sessions/${session}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${gateway.localKey}` },
      })
    },
    'kill -9': () => gateway.kill(),
    SIGTERM: async () => {
      expect(await gateway.terminate()).toBe(0)
    },
  }
  for (const [how, drop] of Object.entries(drops))
    test.each(Object.entries(media))(`${how}: %s are seen as dropped`, async (_name, accept) => {
      const { session, stream } = await begin(accept)
      await say(session, 'the last.')
      await expect.poll(stream.text).toContain('the last.')
      await drop(session)
      const end = await stream.end
      if (how !== 'the session is deleted') await gateway.restart()
      expect(end).toBe('dropped')
    })

  // An EventSource may reconnect while nginx answers 502, and by its specification gives up then.
  test('our client reads on through it across a restart', async () => {
    const session = 'sess_through'
    await say(session, 'One ')
    const reader = openClient(`${proxy.url}/v1/sessions/${session}/events`, 'sse')
    await expect.poll(reader.frames).toHaveLength(1)
    await gateway.terminate()
    await gateway.restart()
    await say(session, 'two.')
    await expect.poll(reader.frames).toHaveLength(2)
    await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
    await reader.stopped
    expect(await reader.outcome()).toBe('completed')
    expect(await reader.frames()).toEqual(await readAll(gateway.url, session))
  })
})

test.skipIf(nginx === undefined)(
  'a gateway that knows nothing of nginx serves nobody through it without a credential',
  async () => {
    const gateway = await startGatewayProcess()
    const proxy = await startNginx(nginx ?? '', gateway.url)
    for (const path of ['/v1/sessions', '/metrics', '/v1/agents']) {
      expect((await send(proxy.port, { path })).status).toBe(401)
      expect((await send(proxy.port, { path, key: gateway.localKey })).status).toBe(200)
      expect((await fetch(gateway.url + path)).status).toBe(200)
    }
    await proxy.stop()
    await gateway.remove()
  },
)
