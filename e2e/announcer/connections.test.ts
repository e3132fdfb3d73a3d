import { createClient } from '@sluice/client'
import { encodeSse, systemClock } from '@sluice/protocol'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type AaepPeer, startAaepPeer } from '../../packages/client/src/testing/aaep-peer.ts'
import { openSse } from '../../packages/client/src/testing/peer.ts'
import { startRestartingGateway } from '../aaep/testing/restarting-gateway.ts'
import { startCuttingProxy } from '../client/cutting-proxy.ts'
import { localKey, startGateway } from '../client/start-gateway.ts'
import { listen } from './listening.ts'

const told = Array.from({ length: 40 }, (_, index) => `This is sentence number ${index}.`)
const isTold = (text: string): boolean => told.includes(text)

describe('nothing is told twice or lost', () => {
  test('when the gateway restarts in the middle', async () => {
    const gateway = await startRestartingGateway(systemClock)
    onTestFinished(gateway.stop)
    // The gateway has another address after each start.
    const base = 'http://gateway.invalid'
    const fetchIt: typeof fetch = (url, init) => fetch(String(url).replace(base, gateway.url), init)
    const connect = () => createClient({ url: base, token: gateway.key, fetch: fetchIt, random: () => 0 })
    const session = await connect().createSession({ agent: 'teller', language: 'en' })
    const { heard, texts, until, announcements } = listen(connect(), session.id)
    session.text(`${told.slice(0, 20).join(' ')} `)
    await heard('number 18.')
    await gateway.stop()
    announcements.setTerms({ verbosity: 'detailed' })
    await gateway.start()
    session.text(told.slice(20).join(' '))
    await session.complete()
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter(isTold)).toEqual(told)
  })

  test('when connections break anywhere', async () => {
    const gateway = await startGateway()
    onTestFinished(gateway.close)
    const session = await createClient({ url: gateway.url, token: localKey }).createSession({
      agent: 'teller',
      language: 'en',
    })
    session.text(told.join(' '))
    await session.complete()
    const cuts = Array.from({ length: 12 }, (_, index) => ({
      direction: 'down' as const,
      afterBytes: 400 + 613 * index,
    }))
    const proxy = await startCuttingProxy(gateway.url, cuts)
    onTestFinished(proxy.close)
    const client = createClient({ url: proxy.url, token: localKey, random: () => 0 })
    const { texts, until } = listen(client, session.id)
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter(isTold)).toEqual(told)
    expect(proxy.cuts()).toBeGreaterThan(3)
  })
})

describe('a subscription', () => {
  let peer: AaepPeer | undefined
  afterEach(() => peer?.close())

  const event = (n: number, type: string, more: object = {}) => ({
    '@context': 'https://aaep-protocol.org/context/v1',
    type: `aaep:agent.${type}`,
    event_id: `evt_${n}`,
    session_id: 'sess_a',
    timestamp: '2026-05-24T14:22:11.342Z',
    producer: { agent_id: 'peer' },
    ...more,
  })

  test('is made once and closed once, though React starts, stops and starts', async () => {
    peer = await startAaepPeer()
    const { announcements, heard, texts } = listen(createClient({ url: peer.url }), 'sess_a')
    for (const percent of [1, 2]) {
      void announcements.stop()
      announcements.start()
      announcements.start()
      peer.emit(event(percent, 'progress.updated', { progress: { percent } }))
      await heard(`${percent} percent.`)
    }
    expect(peer.posted('subscriptions')).toMatchObject([
      {
        subscriber_id: 'sluice-announcer',
        capabilities: { preferred_verbosity: 'normal', supports_confirmation_reply: false },
        extensions: { sluice: { sessions: ['sess_a'], after: 'start' } },
      },
    ])
    await Promise.all([announcements.stop(), announcements.stop()])
    expect(peer.posted('replies')).toMatchObject([{ type: 'subscription.close' }])
    expect(texts()).toEqual(['1 percent.', '2 percent.'])
  })

  test('asks for the last of several terms, and never for the same again', async () => {
    peer = await startAaepPeer()
    const { announcements, heard } = listen(createClient({ url: peer.url }), 'sess_a')
    peer.emit(event(1, 'progress.updated', { progress: { percent: 1 } }))
    await heard('1 percent.')
    for (const rateWpm of [200, 210, 220, 230]) announcements.setTerms({ rateWpm })
    announcements.setTerms({ rateWpm: 230 })
    await peer.requested(4)
    await announcements.stop()
    const asked = peer.posted('replies').filter(({ type }) => type === 'subscription.renegotiate')
    expect(asked.map(({ capabilities }) => capabilities)).toMatchObject([
      { pace_wpm: 200 },
      { pace_wpm: 230 },
    ])
  })

  test('is closed when the session has ended', async () => {
    peer = await startAaepPeer()
    const { until, announcements } = listen(createClient({ url: peer.url }), 'sess_a')
    peer.emit(event(1, 'session.completed', { summary_normal: 'Done.' }))
    await until(({ hasEnded }) => hasEnded)
    await announcements.stop()
    expect(peer.posted('replies')).toMatchObject([{ type: 'subscription.close' }])
  })

  test('that comes to its end in the middle of a sentence tells what is there', async () => {
    const half = event(1, 'output.streaming', {
      output_id: 'o',
      chunk: 'Half a',
      position: 0,
      complete: false,
    })
    peer = await startAaepPeer({
      onEvents({ headers }, response) {
        if (headers['last-event-id'] !== undefined) return void response.writeHead(204).end()
        openSse(response).end(encodeSse({ event: 'aaep.event', id: 'evt_1', data: JSON.stringify(half) }))
      },
    })
    const { until, texts } = listen(createClient({ url: peer.url, random: () => 0 }), 'sess_a')
    await until(({ hasEnded }) => hasEnded)
    expect(texts()).toEqual(['Half a', 'The session has ended.'])
  })

  test('is left quietly when no gateway answers', async () => {
    peer = await startAaepPeer()
    const client = createClient({ url: peer.url, random: () => 0 })
    const { announcements, heard, snapshot } = listen(client, 'sess_a')
    peer.emit(event(1, 'progress.updated', { progress: { percent: 1 } }))
    await heard('1 percent.')
    await peer.close()
    peer = undefined
    await announcements.stop()
    expect(snapshot().error).toBeUndefined()
    const never = listen(createClient({ url: 'http://127.0.0.1:9', random: () => 0 }), 'sess_a')
    await never.announcements.stop()
    expect(never.snapshot().error).toBeUndefined()
  })
})
