import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { entriesIn } from '../../testing/open-test-writer.ts'
import { aaepConfirmation, aaepEvent, chunk, published } from '../../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const id = 'sess_inputs'
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
  const start = aaepEvent({ session: id, name: 'session.started', id: 's' }, { summary_normal: 'Go.' })
  await gateway.publish(id, [start], '?dialect=aaep')
})
afterEach(() => gateway.close())

/** Whether an answer counted. */
const answer = async (body: object) =>
  (await readJson(await gateway.post(`/v1/sessions/${id}/answers`, body)))['counted']
const ask = (question: object) =>
  gateway.publish(
    id,
    [published({ kind: 'question-open', text: 'Well?', ...question } as never)],
    '?dialect=sluice',
  )
interface Frames {
  readonly frames: readonly { readonly frame: Readonly<Record<string, unknown>> }[]
}
const inputs = async (query = '') => {
  const page = await readJson(await gateway.request(`/v1/sessions/${id}/inputs${query}`))
  return (page as unknown as Frames).frames.map(({ frame }) => frame) // the shape is what is tested
}

describe('an answer', () => {
  test('goes to the agent with who gave it; the first valid one wins', async () => {
    await gateway.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], '?dialect=aaep')
    expect(await answer({ token: 'rpl_1', response: 'yes' })).toBe(false)
    expect(await answer({ token: 'rpl_2', decision: 'accept' })).toBe(false)
    expect(await answer({ token: 'rpl_1', decision: 'maybe' })).toBe(false)
    expect(await inputs()).toEqual([])
    expect(await answer({ token: 'rpl_1', decision: 'reject' })).toBe(true)
    expect(await answer({ token: 'rpl_1', decision: 'accept' })).toBe(false)
    expect(await inputs()).toEqual([
      {
        seq: 2,
        at: expect.any(Number),
        by: 'local',
        type: 'answer',
        token: 'rpl_1',
        how: 'answered',
        decision: 'reject',
      },
    ])
    expect((await entriesIn(gateway.log, id))[2]).toMatchObject({
      direction: 'input',
      source: { subject: 'local' },
    })
  })

  test.each([
    ['freetext', ['yes', ''], [7, true]],
    ['numeric', [7, 0.5], ['7', false]],
    ['yes_no', [true, 'no'], ['perhaps', 1]],
    ['multiple_choice', ['a'], ['c', 1]],
  ])('to a clarification of kind %s must be of that kind', async (kind, right, wrong) => {
    const choices = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ]
    let asked = 0
    for (const response of [...wrong, ...right]) {
      asked += 1
      const token = `tok-${asked}`
      await ask({
        question: 'clarification',
        token,
        kinds: [kind],
        ...(kind === 'multiple_choice' ? { choices } : {}),
      })
      expect(await answer({ token, response })).toBe(right.some((known) => known === response))
    }
    expect((await inputs()).map(({ response }) => response)).toEqual(right)
  })

  test('to an authorization is a decision', async () => {
    await ask({ question: 'authorization', token: 'tok' })
    await answer({ token: 'tok', response: 'secret' })
    await answer({ token: 'tok', decision: 'accept' })
    expect(await inputs()).toMatchObject([{ token: 'tok', decision: 'accept' }])
  })

  test('that is malformed is told so, and needs a credential', async () => {
    for (const body of [{}, { token: '' }, { token: 't', response: {} }, { token: 't', more: 1 }])
      expect((await gateway.post(`/v1/sessions/${id}/answers`, body)).status).toBe(400)
    const bare = await gateway.request(`/v1/sessions/${id}/answers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"token":"t","decision":"accept"}',
    })
    expect(bare.status).toBe(403)
  })

  test('counts for its sender however often it is sent', async () => {
    await gateway.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], '?dialect=aaep')
    const given = { token: 'rpl_1', decision: 'accept' }
    expect([await answer(given), await answer(given)]).toEqual([true, true])
    expect(await answer({ ...given, decision: 'reject' })).toBe(false)
    expect(await inputs()).toHaveLength(1)
  })

  test('is ignored after the end', async () => {
    await gateway.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], '?dialect=aaep')
    await gateway.post(`/v1/sessions/${id}/end`)
    expect(await answer({ token: 'rpl_1', decision: 'accept' })).toBe(false)
    expect(await inputs()).toEqual([])
  })
})

test('two answers at the same time close a question once', async () => {
  await gateway.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], '?dialect=aaep')
  await Promise.all(['accept', 'reject', 'accept'].map((decision) => answer({ token: 'rpl_1', decision })))
  expect(await inputs()).toHaveLength(1)
})

describe('a timeout', () => {
  test.each([
    ['confirmation', { default: 'reject' }, { decision: 'reject' }],
    ['clarification', { default: 'Paris' }, { response: 'Paris' }],
    ['confirmation', {}, {}],
  ])('of a %s goes to the agent like an answer: %j', async (question, more, outcome) => {
    await ask({ question, token: 'tok', timeoutMs: 5_000, ...more })
    gateway.clock.advance(5_000)
    await until(async () => (await inputs()).length === 1)
    expect(await inputs()).toEqual([
      { seq: 2, at: expect.any(Number), type: 'answer', token: 'tok', how: 'timeout', ...outcome },
    ])
  })

  test('after which the question is asked again is none; the answer to that has the first token', async () => {
    await ask({ question: 'confirmation', token: 'tok' })
    gateway.clock.advance(86_400_000)
    await until(async () => (await gateway.log.head(id))?.lastSeq === 2)
    expect(await inputs()).toEqual([])
    const again = (await entriesIn(gateway.log, id))[2]?.events[1]
    expect(
      await answer({ token: again?.kind === 'question-open' ? again.token : '', decision: 'accept' }),
    ).toBe(true)
    expect(await inputs()).toMatchObject([{ token: 'tok', how: 'answered', decision: 'accept', by: 'local' }])
  })

  test('of a session that is cancelled is none', async () => {
    await ask({ question: 'confirmation', token: 'tok', timeoutMs: 5_000, default: 'reject' })
    await gateway.post(`/v1/sessions/${id}/end`, { outcome: 'cancelled' })
    gateway.clock.advance(5_000)
    expect(await inputs()).toEqual([])
  })
})

test('a cancel and a message are entries that the agent reads', async () => {
  const cancel = await gateway.post(`/v1/sessions/${id}/cancel`, { reason: 'Enough.' })
  expect([cancel.status, await readJson(cancel)]).toEqual([202, { cursor: '1' }])
  const message = await gateway.post(`/v1/sessions/${id}/messages`, { text: 'Hello.', id: 'm1' })
  expect([message.status, await readJson(message)]).toEqual([202, { cursor: '2', id: 'm1' }])
  const parts = [{ type: 'data', data: { a: [1, null] } }]
  const { id: minted } = await readJson(await gateway.post(`/v1/sessions/${id}/messages`, { parts }))
  expect(await inputs()).toMatchObject([
    { type: 'cancel', reason: 'Enough.', by: 'local' },
    { type: 'message', id: 'm1', parts: [{ type: 'text', text: 'Hello.' }] },
    { type: 'message', id: minted, parts },
  ])
  expect(await inputs('?after=2')).toHaveLength(1)
  for (const body of [{}, { text: 'a', parts }, { parts: [] }, { parts: [{ type: 'odd' }] }])
    expect((await gateway.post(`/v1/sessions/${id}/messages`, body)).status).toBe(400)
  await gateway.post(`/v1/sessions/${id}/end`)
  for (const path of ['cancel', 'messages'])
    expect(
      (await gateway.post(`/v1/sessions/${id}/${path}`, path === 'cancel' ? {} : { text: 'a' })).status,
    ).toBe(409)
})

test('a cancel without a reason has none for the agent either', async () => {
  await gateway.post(`/v1/sessions/${id}/cancel`)
  expect(Object.keys((await inputs())[0] ?? {}).sort()).toEqual(['at', 'by', 'seq', 'type'])
})

test('inputs are read live, and past what is none', async () => {
  const reader = readEvents(
    await gateway.request(`/v1/sessions/${id}/inputs`, { headers: { accept: 'text/event-stream' } }),
  )
  await gateway.publish(id, [chunk('a'), chunk('b')], '?dialect=stream-event')
  await gateway.post(`/v1/sessions/${id}/messages`, { text: 'Hello.' })
  expect(await reader.next()).toMatchObject({ id: '3' })
  await gateway.post(`/v1/sessions/${id}/end`)
  expect((await reader.rest()).map(({ event }) => event)).toEqual(['sluice.end'])
})
