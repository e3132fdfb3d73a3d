import type { SluiceEvent } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import type { Caller } from '../../access/caller.ts'
import { callerWith } from '../../testing/open-test-kernel.ts'
import {
  delta,
  gets,
  openTestSubscriptions,
  reader,
  settled,
  type TestSubscriptions,
} from '../../testing/open-test-subscriptions.ts'
import { createTestConnection } from '../../testing/test-connection.ts'

const start: SluiceEvent = { kind: 'session-start' }
const call = (id: string): SluiceEvent => ({ kind: 'tool-call', call: id, tool: 'search' })
const one = 'sess_one'

let subscriptions: TestSubscriptions
afterEach(() => subscriptions.close())

function renegotiation(id: string, capabilities: object) {
  return { type: 'subscription.renegotiate', subscription_id: id, capabilities: { ...capabilities } }
}

test('of two who connect at once the second one reads, and the first is let go', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const subscription = await subscriptions.subscribe()
  const [first, second] = await Promise.all([
    subscriptions.connect(subscription),
    subscriptions.connect(subscription),
  ])
  await subscriptions.tell(one, call('c1'))
  await gets(second.connection, 2)
  expect(first.connection.end).toBe('reset')
  expect(second.connection.end).toBeUndefined()
  expect(subscription.isAttached).toBe(true)
  second.open.stream.close()
  expect(subscription.isAttached).toBe(false)
})

test('a subscription that is closed while it is opened is not there any more', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const subscription = await subscriptions.subscribe({ supports_confirmation_reply: true })
  const connection = createTestConnection()
  const opening = subscriptions.subscriptions.open(subscription, reader, {
    connection,
    lastEventId: undefined,
    transport: 'sse',
  })
  await subscriptions.subscriptions.close(subscription, reader)
  await expect(opening).rejects.toMatchObject({ code: 'unknown_subscription' })
  expect(connection.events).toEqual([])
  expect(subscription.isAttached).toBe(false)
  expect(subscriptions.kernel.questions.answerers.canAnswer({ id: one, labels: {} })).toBe(false)
})

test('closing the last subscription that could answer applies the default; a broken connection does not', async () => {
  subscriptions = await openTestSubscriptions()
  const subscription = await subscriptions.subscribe(
    { supports_confirmation_reply: true },
    { sessions: [one] },
  )
  const { connection, open } = await subscriptions.connect(subscription)
  await subscriptions.ask(one, { token: 'rpl_1', timeoutMs: 600_000, default: 'reject' })
  await gets(connection, 2)
  open.stream.close()
  await settled()
  expect((await subscriptions.events(one)).some(({ kind }) => kind === 'question-close')).toBe(false)
  await subscriptions.subscriptions.close(subscription, reader)
  expect(await subscriptions.events(one)).toContainEqual(
    expect.objectContaining({ kind: 'question-close', token: 'rpl_1', decision: 'reject' }),
  )
})

test.each([
  ['of a caller that answers in other sessions only', 'ada', { answer: 'sess_other', subscribe: '' }],
  ['by a credential of the same subject that may not answer', 'reader', { subscribe: '' }],
])('closing a subscription %s rejects nothing', async (_, subject, rights) => {
  subscriptions = await openTestSubscriptions()
  const limited: Caller = {
    ...callerWith(subject, 'subscribe', 'answer'),
    can: (action, { id }) =>
      Object.entries(rights).some(([name, of]) => name === action && id.startsWith(of)),
  }
  const opener = subject === reader.subject ? reader : limited
  const choice = { sessions: [one] }
  const subscription = await subscriptions.subscribe({ supports_confirmation_reply: true }, choice, opener)
  await subscriptions.ask(one, { token: 'rpl_1', timeoutMs: 600_000, default: 'reject' })
  await subscriptions.subscriptions.close(subscription, limited)
  expect((await subscriptions.events(one)).map(({ kind }) => kind)).not.toContain('question-close')
})

test('other filters hold for everything behind the answer', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const subscription = await subscriptions.subscribe()
  const { connection } = await subscriptions.connect(subscription)
  await gets(connection, 1)
  await subscriptions.tell(one, call('c1'))
  const exclude = ['aaep:agent.tool.*']
  const message = renegotiation(subscription.id, { event_filters: { exclude } })
  await subscriptions.subscriptions.renegotiate(subscription, message, { caller: reader })
  const before = connection.events.length
  await subscriptions.tell(one, call('c2'), { kind: 'handoff', reason: 'requested_by_user', target: 'human' })
  await settled()
  const types = connection.values.slice(before).map(({ type }) => type)
  expect(types).toEqual(['aaep:agent.handoff.requested'])
})

test('text that filters hid is told from the place where they let it through', async () => {
  subscriptions = await openTestSubscriptions()
  const hidden = { exclude: ['aaep:agent.output.*'] }
  const subscription = await subscriptions.subscribe({ event_filters: hidden }, { sessions: [one] })
  const { connection } = await subscriptions.connect(subscription)
  await subscriptions.tell(one, start, delta('Hidden. '))
  await settled()
  const message = renegotiation(subscription.id, {
    event_filters: { include: ['aaep:agent.*'], exclude: [] },
  })
  await subscriptions.subscriptions.renegotiate(subscription, message, { caller: reader })
  await subscriptions.tell(one, delta('Shown. '), { kind: 'text-end', output: 'a', take: 0 })
  await settled()
  const chunks = connection.values.filter(({ chunk }) => chunk !== undefined)
  const shown = chunks.map(({ chunk, position }) => ({ chunk, position }))
  expect(shown.map(({ chunk }) => chunk).join('')).toMatch(/Shown\. $/)
  for (const { chunk, position } of shown)
    expect('Hidden. Shown. '.slice(Number(position))).toContain(String(chunk))
})

test('an introduction that waits is told in the language that is asked for then', async () => {
  subscriptions = await openTestSubscriptions()
  const two = 'sess_two'
  for (const id of [one, two]) await subscriptions.tell(id, start)
  const slow = { max_events_per_second: 1 }
  const english = await subscriptions.subscribe(
    { ...slow, languages: ['en'] },
    { sessions: [one, two], after: 'now' },
  )
  const { connection } = await subscriptions.connect(english)
  await gets(connection, 1)
  const message = renegotiation(english.id, { languages: ['de'] })
  await subscriptions.subscriptions.renegotiate(english, message, { caller: reader })
  subscriptions.clock.advance(2000)
  await gets(connection, 2)
  const hints = connection.values.map(({ localization_hints: hint }) => JSON.stringify(hint))
  expect(hints[0]).toContain('"en"')
  expect(hints[1]).toContain('"de"')
  expect(new Set(connection.values.map(({ session_id }) => session_id)).size).toBe(2)
})

test('changes of terms leave nothing behind', async () => {
  subscriptions = await openTestSubscriptions()
  const subscription = await subscriptions.subscribe(
    { supports_confirmation_reply: true },
    { sessions: [one] },
  )
  const warnings: unknown[] = []
  const onWarning = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', onWarning)
  for (let index = 0; index < 40; index++)
    await subscriptions.subscriptions.renegotiate(
      subscription,
      renegotiation(subscription.id, { pace_wpm: 50 + index }),
      {
        caller: reader,
      },
    )
  await settled()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  await subscriptions.subscriptions.close(subscription, reader)
  expect(subscriptions.kernel.questions.answerers.canAnswer({ id: one, labels: {} })).toBe(false)
})

test('one subscription to all reads a thousand sessions at once, each event once', async () => {
  subscriptions = await openTestSubscriptions()
  const subscription = await subscriptions.subscribe()
  const { connection } = await subscriptions.connect(subscription)
  const ids = Array.from({ length: 1000 }, (_, index) => `sess_many${index}`)
  await Promise.all(ids.map((id) => subscriptions.tell(id, start, delta('Good morning'))))
  await gets(connection, 1000)
  await Promise.all(ids.map((id) => subscriptions.tell(id, delta('. How are you? '))))
  await settled()
  subscriptions.clock.advance(10_000)
  await settled()
  const texts = new Map<unknown, string>()
  for (const { session_id, chunk } of connection.values)
    if (chunk !== undefined) texts.set(session_id, (texts.get(session_id) ?? '') + String(chunk))
  expect(new Set(texts.values())).toEqual(new Set(['Good morning. How are you? ']))
  expect(texts.size).toBe(1000)
})
