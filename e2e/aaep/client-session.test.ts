import { createClient } from '@sluice/client'
import { createConverter, dialectById } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect } from '../../packages/client/src/testing/collect.ts'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const connect = () => createClient({ url: gateway.url, token: localKey, random: () => 0 })

/** The token of the question that a session asks, once it asks. */
async function askedIn(session: string): Promise<string> {
  for await (const item of connect().subscribe(session)) {
    if (item.type !== 'frame') continue
    for (const event of item.frame.events) if (event.kind === 'question-open') return event.token
  }
  throw new Error('nothing was asked')
}

/** What `sluice validate --dialect aaep` finds in a session. */
async function findingsIn(session: string) {
  const check = createConverter({ from: dialectById('aaep') })
  const items = await collect(connect().subscribe(session, { dialect: 'aaep' }))
  const pushed = items.flatMap((item) => (item.type === 'frame' ? [check.push(item.text ?? '')] : []))
  expect(pushed.length).toBeGreaterThan(3)
  return [...pushed, ...check.end()].flatMap(({ findings }) => findings)
}

describe('an agent', () => {
  test('asks, is answered by somebody else, and does what was allowed', async () => {
    const session = await connect().createSession({
      agent: { id: 'tidy', version: '1' },
      request: 'Tidy up.',
      labels: { team: 'a' },
      language: 'en',
    })
    session.state('thinking')
    session.text('I found 3 old files. ')
    const asked = session.confirm({
      action: 'Delete 3 files',
      consequence: 'They are gone.',
      risk: 'high',
      irreversible: true,
      timeoutMs: 60_000,
    })
    const token = await askedIn(session.id)
    await connect().answer(session.id, { token, decision: 'accept' })
    expect(await asked).toEqual({ decision: 'accept', how: 'answered', by: expect.any(String) })
    await session.tool('rm', { irreversible: true, risk: 'high', argsSummary: '3 files' }, async () => {})
    session.text('They are deleted.')
    await session.complete('Deleted 3 files.')
    expect(await findingsIn(session.id)).toEqual([])
    const { session: resource } = await connect().snapshot(session.id)
    expect(resource).toMatchObject({ outcome: 'completed', labels: { team: 'a' }, agent: { id: 'tidy' } })
  })

  test('gets one answer when two people give one at the same moment', async () => {
    const session = await connect().createSession({ agent: 'asker' })
    const asked = session.ask({ question: 'Train or bus?', kinds: ['freetext'] })
    const token = await askedIn(session.id)
    await Promise.all(['train', 'bus'].map((response) => connect().answer(session.id, { token, response })))
    const { response } = await asked
    expect(['train', 'bus']).toContain(response)
    await session.complete()
    expect(await findingsIn(session.id)).toEqual([])
  })

  test('is told to stop, and of messages', async () => {
    const session = await connect().createSession({ agent: 'worker' })
    const heard = collect(session.inputs())
    const asked = session.confirm({ action: 'Go on', consequence: 'It goes on.' })
    await askedIn(session.id)
    await connect().message(session.id, { text: 'Hurry.' })
    await connect().cancel(session.id, { reason: 'Too late.' })
    expect(await asked).toEqual({ decision: 'reject', how: 'cancelled' })
    expect(session.signal.reason).toMatchObject({ name: 'AbortError', message: 'Too late.' })
    await session.cancel('Stopped as asked.')
    expect((await heard).map(({ type }) => type)).toEqual(['message', 'cancel'])
    expect(await findingsIn(session.id)).toEqual([])
  })

  test('hears of the default when nobody answers in time', async () => {
    const session = await connect().createSession({ agent: 'asker' })
    const options = { question: 'How many?', kinds: ['numeric'], timeoutMs: 1_000, default: 2 } as const
    expect(await session.ask(options)).toEqual({ response: 2, how: 'timeout' })
    expect(await session.ask({ question: 'Why?', timeoutMs: 1_000 })).toEqual({
      response: undefined,
      how: 'timeout',
    })
    await session.complete()
    expect(await findingsIn(session.id)).toEqual([])
  })

  test('learns that somebody else ended its session', async () => {
    const session = await connect().createSession({ agent: 'worker' })
    const aborted = new Promise((resolve) => session.signal.addEventListener('abort', resolve))
    await session.text('Half a')
    await connect().sessions.end(session.id, { outcome: 'failed' })
    await aborted
    expect(() => session.text('word')).toThrow(expect.objectContaining({ code: 'session_ended' }))
  })
})
