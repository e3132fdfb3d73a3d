import { PassThrough } from 'node:stream'
import { createClient } from '@sluice/client'
import { createNdjsonDecoder, type JsonObject } from '@sluice/protocol'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { runStdioBridge } from '../../packages/cli/src/aaep/stdio-bridge.ts'
import { guardIo } from '../../packages/cli/src/guard-terminal.ts'
import {
  type AaepPeer,
  type AaepPeerOptions,
  aaepEvent,
  accepted,
  startAaepPeer,
} from '../../packages/client/src/testing/aaep-peer.ts'
import { answerJson } from '../../packages/client/src/testing/peer.ts'
import { localKey, startGateway } from '../client/start-gateway.ts'

let peer: AaepPeer | undefined
afterEach(() => peer?.close())

/** A bridge to a producer, and the subscriber's ends of its pipes. */
async function start(options: AaepPeerOptions = {}, url?: string) {
  peer = await startAaepPeer(options)
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const client = createClient({ url: url ?? peer.url, token: localKey, random: () => 0 })
  const done = runStdioBridge(client, guardIo({ stdin, stdout, stderr, env: {} }))
  const messages = readMessages(stdout)
  return {
    peer,
    done,
    end: () => stdin.end(),
    say: (line: unknown) => stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    /** The next message from the bridge. */
    hear: async () => (await messages.next()).value,
    errors: () => String(stderr.read() ?? ''),
  }
}

async function* readMessages(stream: PassThrough): AsyncGenerator<JsonObject, undefined> {
  const decoder = createNdjsonDecoder()
  for await (const chunk of stream)
    for (const line of decoder.push(chunk as Buffer)) // a stream of bytes
      if (line.ok) yield JSON.parse(line.text) as JsonObject // what the bridge wrote
  return undefined
}

const call = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
const result = (id: number, value: unknown) => ({ jsonrpc: '2.0', id, result: value })
const failure = (id: number | null, code: number) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code, message: expect.any(String) }),
})
const request = {
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'reader',
  capabilities: { languages: ['de'] },
  correlation_id: 'c1',
}

describe('sluice aaep --stdio', () => {
  test('stands before a real gateway: events come, an answer counts, a refusal is told', async () => {
    const gateway = await startGateway()
    onTestFinished(gateway.close)
    const agent = await createClient({ url: gateway.url, token: localKey }).createSession({ agent: 'asker' })
    const asked = agent.ask({ question: 'Train or bus?' })
    const { say, hear, end, done } = await start({}, gateway.url)
    say(call(1, 'aaep.subscribe', { ...request, aaep_version: '99.0.0' }))
    expect(await hear()).toMatchObject({
      id: 1,
      error: { code: -32_001, data: { type: 'subscription.rejected', reason_code: 'version_unsupported' } },
    })
    const capabilities = { supports_clarification_reply: true }
    const extensions = { sluice: { sessions: [agent.id] } }
    say(call(2, 'aaep.subscribe', { ...request, capabilities, extensions }))
    expect(await hear()).toMatchObject({ id: 2, result: { type: 'subscription.accepted' } })
    let question: JsonObject | undefined
    while (question?.['type'] !== 'aaep:agent.awaiting.clarification')
      question = (await hear())?.['params'] as JsonObject | undefined // of a notification
    const { reply_token } = question
    const timestamp = new Date().toISOString()
    say(note('aaep.reply', { type: 'clarification.reply', reply_token, response: 'train', timestamp }))
    expect(await asked).toMatchObject({ response: 'train', how: 'answered' })
    await agent.complete()
    end()
    await done
  })

  test('subscribes with the message as it is, and hands events on behind the answer', async () => {
    const { peer, say, hear, end, done } = await start()
    peer.emit(aaepEvent(1, { chunk: 'Olá 😀' }))
    say(call(1, 'aaep.subscribe', request))
    expect(await hear()).toEqual(result(1, accepted))
    expect(await hear()).toEqual(note('aaep.event', aaepEvent(1, { chunk: 'Olá 😀' })))
    expect(peer.posted('subscriptions')).toEqual([request])
    end()
    await done
    expect(peer.posted('replies')).toEqual([])
  })

  test('goes on over a connection that breaks', async () => {
    const { peer, say, hear, end, done } = await start()
    say(call(1, 'aaep.subscribe', request))
    await hear()
    peer.emit(aaepEvent(1))
    await hear()
    peer.drop()
    peer.emit(aaepEvent(2))
    expect(await hear()).toEqual(note('aaep.event', aaepEvent(2)))
    end()
    await done
  })

  test('passes replies, other terms and the close on', async () => {
    const { peer, say, hear, end, done } = await start()
    say(call(1, 'aaep.subscribe', request))
    await hear()
    const reply = {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      modified_action: {},
    }
    say(note('aaep.reply', reply))
    say(call(2, 'aaep.renegotiate', { subscription_id: 'sub_1', capabilities: { pace_wpm: 90 } }))
    expect(await hear()).toEqual(result(2, accepted))
    say(call(3, 'aaep.close', { reason_message: 'Bye.' }))
    expect(await hear()).toEqual(result(3, null))
    const subscription_id = 'sub_1'
    expect(peer.posted('replies')).toEqual([
      { ...reply, subscription_id },
      { type: 'subscription.renegotiate', subscription_id, capabilities: { pace_wpm: 90 } },
      {
        type: 'subscription.close',
        subscription_id,
        reason_code: 'subscriber_shutdown',
        reason_message: 'Bye.',
      },
    ])
    say(call(4, 'aaep.subscribe', request))
    expect(await hear()).toEqual(result(4, accepted))
    end()
    await done
  })

  test('takes up a subscription that stands', async () => {
    const { peer, say, hear, end, done } = await start()
    for (const n of [1, 2]) peer.emit(aaepEvent(n))
    const sluice = { subscription_id: 'sub_1', last_event_id: 'evt_1' }
    say(call(1, 'aaep.subscribe', { ...request, extensions: { sluice } }))
    expect(await hear()).toEqual(result(1, accepted))
    expect(await hear()).toEqual(note('aaep.event', aaepEvent(2)))
    expect(peer.posted('subscriptions')).toEqual([])
    end()
    await done
  })

  test('tells a rejection as an error, with the message as its data', async () => {
    const rejected = {
      type: 'subscription.rejected',
      reason_code: 'rate_limit',
      reason_message: 'Too many.',
      retry_after_seconds: 5,
    }
    const { say, hear, end, done } = await start({
      onSubscribe: (_, response) => answerJson(response, rejected, { status: 429 }),
    })
    say(call(1, 'aaep.subscribe', request))
    expect(await hear()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_001, message: 'Too many.', data: rejected },
    })
    end()
    await done
  })

  test('tells when the events have come to their end', async () => {
    const { say, hear, end, done } = await start({ onEvents: (_, response) => response.writeHead(204).end() })
    say(call(1, 'aaep.subscribe', request))
    await hear()
    expect(await hear()).toMatchObject({
      method: 'aaep.close',
      params: { type: 'subscription.close', subscription_id: 'sub_1', reason_code: 'sessions_ended' },
    })
    end()
    await done
  })

  test('tells when the subscription is gone', async () => {
    const { say, hear, end, done } = await start({
      onEvents: (_, response) =>
        answerJson(response, { code: 'unknown_route', detail: 'Gone.' }, { status: 404 }),
    })
    say(call(1, 'aaep.subscribe', request))
    await hear()
    expect(await hear()).toMatchObject({
      method: 'aaep.close',
      params: { reason_code: 'unknown_route', reason_message: 'Gone.' },
    })
    end()
    await done
  })

  test('fails a request when no gateway answers', async () => {
    const { say, hear, end, done } = await start({}, 'http://127.0.0.1:9')
    say(call(1, 'aaep.subscribe', request))
    expect(await hear()).toMatchObject({
      id: 1,
      error: { code: -32_000, data: { code: 'gateway_unreachable' } },
    })
    end()
    await done
  })

  test.each([
    ['{', null, -32_700],
    ['\u00ff'.repeat(600_000), null, -32_700],
    ['[]', null, -32_600],
    ['1', null, -32_600],
    [{ id: 1, method: 'aaep.ping' }, 1, -32_600],
    [{ jsonrpc: '2.0', id: {}, method: 'aaep.ping' }, null, -32_600],
    [{ jsonrpc: '2.0', id: 2 }, 2, -32_600],
    [{ jsonrpc: '2.0', id: 3, method: 'aaep.subscribe', params: [1] }, 3, -32_602],
    [call(4, 'aaep.sing'), 4, -32_601],
    [call(5, 'toString'), 5, -32_601],
    [call(6, 'aaep.reply', { reply_token: 'rpl_1' }), 6, -32_000],
    [call(7, 'aaep.renegotiate', {}), 7, -32_000],
  ])('answers %j with an error and goes on', async (line, id, code) => {
    const { say, hear, end, done } = await start()
    say(line)
    expect(await hear()).toEqual(failure(id, code))
    say(call(9, 'aaep.ping'))
    expect(await hear()).toEqual(result(9, {}))
    end()
    await done
  })

  test('takes one subscription, and messages about that one', async () => {
    const { say, hear, end, done } = await start()
    say(call(1, 'aaep.subscribe', request))
    await hear()
    say(call(2, 'aaep.subscribe', request))
    expect(await hear()).toEqual(failure(2, -32_000))
    say(call(3, 'aaep.reply', { subscription_id: 'sub_other' }))
    expect(await hear()).toEqual(failure(3, -32_000))
    end()
    await done
  })

  test('answers no notification and no answer, and tells what failed on standard error', async () => {
    const { say, hear, end, done, errors } = await start()
    say(note('aaep.reply', { reply_token: 'secret' }))
    say(note('aaep.sing'))
    say({ jsonrpc: '2.0', id: 1, result: {} })
    say(call(2, 'aaep.ping'))
    expect(await hear()).toEqual(result(2, {}))
    expect(errors()).toMatch(/^sluice: aaep\.reply: There is no subscription.*\n$/)
    end()
    await done
  })
})
