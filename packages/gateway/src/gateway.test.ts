import { createMemoryLog } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { createFaultyLog } from './testing/faulty-log.ts'
import { aaepConfirmation, aaepEvent, chunk } from './testing/sample-lines.ts'
import { readEvents, startGateway } from './testing/start-gateway.ts'
import { until } from './testing/until.ts'

const query = '?dialect=stream-event'
const sse = { headers: { accept: 'text/event-stream' } }

test('a taken address is told', async () => {
  const first = await startGateway()
  await expect(startGateway({ config: { port: first.port } })).rejects.toMatchObject({
    code: 'address_in_use',
    details: { port: first.port },
  })
  await first.close()
})

test('off loopback it does not start without authentication', async () => {
  await expect(startGateway({ config: { host: '0.0.0.0' } })).rejects.toMatchObject({ code: 'bad_config' })
})

test('it warns where everybody may read and publish, and nowhere else', async () => {
  const warnings = async (anonymous?: boolean) => {
    const lines: string[] = []
    const auth = omitUndefined({ jwt: [], anonymous })
    const gateway = await startGateway({ config: { auth }, onLine: (line) => lines.push(line) })
    await gateway.close()
    return lines.filter((line) => line.includes('auth.anonymous')).length
  }
  expect([await warnings(), await warnings(false), await warnings(true)]).toEqual([0, 0, 1])
})

test('questions that were open before it began are counted', async () => {
  const log = createMemoryLog()
  const first = await startGateway({ log })
  const start = aaepEvent({ session: 'sess_a', name: 'session.started', id: 's' }, { summary_normal: 'Go.' })
  await first.publish('sess_a', [start, aaepConfirmation('sess_a', 'q', 'rpl_1')], '?dialect=aaep')
  await first.close()
  const second = await startGateway({ log })
  expect(await (await second.request('/metrics')).text()).toMatch(/^sluice_\w*questions\w* 1$/m)
  await second.post('/v1/sessions/sess_a/answers', { token: 'rpl_1', decision: 'accept' })
  expect(await (await second.request('/metrics')).text()).toMatch(/^sluice_\w*questions\w* 0$/m)
  await second.close()
})

describe('close()', () => {
  test('finishes what is under way and loses nothing of it', async () => {
    const log = createFaultyLog(createMemoryLog())
    const gateway = await startGateway({ log })
    const release = log.hold()
    const published = gateway.publish('sess_a', [chunk('a')], query)
    await until(() => log.appends.length === 1)
    const closed = gateway.gateway.close()
    release()
    expect((await published).body).toMatchObject({ accepted: 1 })
    await closed
    expect((await log.head('sess_a'))?.lastSeq).toBe(0)
  })

  test('resets readers, who come back with their cursor to the next one', async () => {
    const log = createMemoryLog()
    const gateway = await startGateway({ log })
    await gateway.publish('sess_a', [chunk('a')], query)
    const reader = readEvents(await gateway.request(`/v1/sessions/sess_a/events${query}`, sse))
    const first = await reader.next()
    const closed = gateway.gateway.close()
    await expect(reader.rest()).rejects.toThrow()
    expect(reader.text).toMatch(/\nretry: \d+\n\n$/)
    await closed
    const next = await startGateway({ log })
    await next.publish('sess_a', [chunk('b')], query)
    const again = readEvents(
      await next.request(`/v1/sessions/sess_a/events${query}`, {
        headers: { ...sse.headers, 'last-event-id': first?.id ?? '' },
      }),
    )
    expect(await again.next()).toMatchObject({ id: '1', data: chunk('b') })
    await again.close()
    await next.close()
  })
})
