import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { errorTable } from '@sluice/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { openEventSource } from '../peers/eventsource-reader.ts'
import { readAll } from '../peers/gateway-requests.ts'
import type { StockReader } from '../peers/stock-reader.ts'
import { anyMessage, anyRequest, generation } from './arbitrary-request.ts'
import { type Answered, type Asked, send } from './http-request.ts'
import { openSocket } from './socket.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

/** How many requests are about the same few sessions, and how many of them run at the same time. */
const batch = 50
const together = 10
const MiB = 1024 * 1024

describe('random requests', () => {
  let gateway: StartedGateway
  let control: StockReader
  let written: number
  let renewed = 0
  beforeEach(async () => {
    gateway = await startGateway({ limits: { bodyIdleMs: 1000 } })
    written = 0
    await writeControl()
    control = openEventSource(`${gateway.url}/v1/sessions/sess_control/events`)
    await expect.poll(control.frames).toHaveLength(1)
  })
  afterEach(async () => {
    await control.close()
    await gateway.close()
  })

  /** The same requests about sessions that no other batch uses. */
  function renew<T>(requests: readonly T[]): readonly T[] {
    renewed += 1
    const put = (value: unknown): unknown =>
      typeof value === 'string' ? value.replaceAll(generation, `n${renewed}`) : value
    return requests.map((request) => {
      if (typeof request !== 'object' || request instanceof Uint8Array || request === null)
        return put(request) as T
      return Object.fromEntries(Object.entries(request).map(([name, value]) => [name, put(value)])) as T // same form
    })
  }

  async function writeControl(): Promise<void> {
    const body = { type: 'answer_chunk', data: { content: `piece ${written}` } }
    const path = '/v1/sessions/sess_control/events?dialect=stream-event'
    const answer = await send(gateway.port, { method: 'POST', path, body })
    expect(answer.json).toMatchObject({ accepted: 1, cursor: String(written) })
    written += 1
  }

  async function expectUnharmed(): Promise<void> {
    expect((await send(gateway.port, { path: '/healthz' })).status).toBe(200)
    expect(gateway.failures).toEqual([])
    await writeControl()
    await expect.poll(control.frames, { interval: 5 }).toHaveLength(written)
  }

  function expectAnswer({ status, headers, json }: Answered, { method, path }: Asked): void {
    // No agent is configured (docs/errors.md, no_agent).
    if (status === 503)
      expect({ method, path }).toMatchObject({ method: 'POST', path: expect.stringMatching(/^\/sessions/) })
    else expect(status).toBeLessThan(500)
    if (status < 400 || method === 'HEAD') return
    // AAEP reports a refusal in its own message.
    if (headers['content-type']?.startsWith('application/json') === true) {
      expect(json).toMatchObject({ type: 'subscription.rejected' })
      return
    }
    expect(headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(Object.keys(errorTable)).toContain((json as { code: unknown }).code)
  }

  /** Deletes what the requests made, and returns the memory still in use. */
  async function clear(): Promise<number> {
    for (;;) {
      const { json } = await send(gateway.port, { path: '/v1/sessions?limit=200', key: localKey })
      const { sessions } = json as { sessions: { id: string }[] } // docs/http-api.md, Sessions
      const made = sessions.filter(({ id }) => id !== 'sess_control')
      if (made.length === 0) break
      for (const { id } of made)
        await send(gateway.port, { method: 'DELETE', path: `/v1/sessions/${id}`, key: localKey })
    }
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  async function readGauges(): Promise<object> {
    const { text } = await send(gateway.port, { path: '/metrics' })
    const value = (name: string) => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    return {
      sse: value('sluice_subscribers\\{transport="sse"\\}'),
      ndjson: value('sluice_subscribers\\{transport="ndjson"\\}'),
      ws: value('sluice_subscribers\\{transport="ws"\\}'),
      pending: value('sluice_pending_bytes'),
    }
  }

  test('to every route leave the gateway serving, and nothing of them stays in memory', async () => {
    const before = await readGauges()
    const sockets = () =>
      process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket')).length
    const openBefore = sockets()
    const storm = (rounds: number) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(anyRequest(gateway.routes), { minLength: batch, maxLength: batch }),
          async (requests) => {
            const own = renew(requests)
            for (let first = 0; first < own.length; first += together) {
              const asked = own.slice(first, first + together)
              const answers = await Promise.all(asked.map((each) => send(gateway.port, each)))
              for (const [index, answer] of answers.entries())
                expectAnswer(answer, asked[index] ?? { path: '' })
            }
            await expectUnharmed()
          },
        ),
        { numRuns: rounds, endOnFailure: false },
      )
    // The first half fills everything that fills once: compiled code, pools, the control session's rings.
    const rounds = Math.ceil(runs(500) / batch / 2)
    await storm(rounds)
    const firstHeap = await clear()
    await storm(rounds)
    const growth = (await clear()) - firstHeap
    await expect.poll(readGauges).toEqual(before)
    await expect.poll(sockets).toBeLessThanOrEqual(openBefore + 1)
    // A leaked stream or session would cost more than 8 KiB; two collections differ by less than this bound.
    expect(growth).toBeLessThan(8 * MiB + rounds * batch * 4096)
    expect(await control.frames()).toEqual(await readAll(gateway.url, 'sess_control'))
  })

  test('over WebSocket leave the gateway serving', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { minLength: batch, maxLength: batch }), async (messages) => {
        const socket = await openSocket(gateway.port, { key: localKey })
        for (const message of renew(messages)) socket.send(message)
        // Requests are handled in order, so this answer comes after all others.
        socket.send({ type: 'ping', ref: 'the last one' })
        await Promise.race([
          socket.waitFor(({ ref }) => ref === 'the last one').catch(() => {}),
          socket.closed,
        ])
        for (const message of socket.messages) {
          expect(message['type']).toBeTypeOf('string')
          expect(message['code']).not.toBe('internal')
        }
        socket.close()
        await socket.closed
        await expectUnharmed()
      }),
      { numRuns: Math.ceil(runs(500) / batch) },
    )
    expect(await control.frames()).toEqual(await readAll(gateway.url, 'sess_control'))
  })
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}
