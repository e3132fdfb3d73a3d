import { createMemoryLog } from '@sluice/log'
import type { SluiceEvent } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { callerWith } from '../../testing/open-test-kernel.ts'
import {
  delta,
  gets,
  openTestSubscriptions,
  settled,
  type TestSubscriptions,
} from '../../testing/open-test-subscriptions.ts'
import type { TestConnection } from '../../testing/test-connection.ts'

const start: SluiceEvent = { kind: 'session-start' }
const end: SluiceEvent = { kind: 'session-end', outcome: 'completed' }
const call = (id: string): SluiceEvent => ({ kind: 'tool-call', call: id, tool: 'search' })
const question = (token: string): SluiceEvent => ({
  kind: 'question-open',
  question: 'confirmation',
  token,
  text: 'Really?',
  timeoutMs: 600_000,
  default: 'reject',
})
const one = 'sess_one'
const two = 'sess_two'

let subscriptions: TestSubscriptions
afterEach(() => subscriptions.close())

function types(connection: TestConnection): readonly string[] {
  return connection.values.map(({ type, session_id }) => `${session_id}`.slice(5) + `${type}`.slice(10))
}

test('a stream finishes when the only session has ended and was told', async () => {
  subscriptions = await openTestSubscriptions()
  const { connection } = await subscriptions.connect(await subscriptions.subscribe({}, { sessions: [one] }))
  await subscriptions.tell(one, start, delta('Hello. '), end)
  await settled()
  expect(types(connection).at(-1)).toBe('one.session.completed')
  expect(connection.end).toBe('finished')
})

test('a stream finishes behind an end that was there before it', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, end)
  const { connection } = await subscriptions.connect(await subscriptions.subscribe({}, { sessions: [one] }))
  await settled()
  expect(types(connection)).toEqual(['one.session.started', 'one.session.completed'])
  expect(connection.end).toBe('finished')
})

test('a session that is deleted breaks the stream of its readers off, and they are told so', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const subscription = await subscriptions.subscribe({}, { sessions: [one] })
  const { connection } = await subscriptions.connect(subscription)
  await gets(connection, 1)
  await subscriptions.kernel.directory.delete(one)
  await settled()
  expect(connection.end).toBe('reset')
  const lastEventId = connection.events[0]?.id ?? ''
  await expect(subscriptions.connect(subscription, { lastEventId })).rejects.toMatchObject({
    code: 'session_deleted',
  })
})

test('a session that is deleted while much of it is unread leaves a stream of all alone', async () => {
  subscriptions = await openTestSubscriptions()
  const subscription = await subscriptions.subscribe({ max_events_per_second: 1 })
  await subscriptions.tell(one, start)
  for (let index = 0; index < 400; index++) await subscriptions.tell(one, call(`c${index}`))
  const { connection, open } = await subscriptions.connect(subscription)
  await gets(connection, 1)
  await subscriptions.kernel.directory.delete(one)
  await subscriptions.tell(two, start)
  subscriptions.clock.advance(1000)
  await gets(connection, 2)
  expect(types(connection).at(-1)).toBe('two.session.started')
  expect(connection.end).toBeUndefined()
  expect([...open.stream.sessions()].map(({ session }) => session.id)).toEqual([two])
})

test('a named session that was deleted is not waited for', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  await subscriptions.tell(two, start)
  const subscription = await subscriptions.subscribe({}, { sessions: [one, two] })
  await subscriptions.kernel.directory.delete(one)
  const { connection } = await subscriptions.connect(subscription)
  await subscriptions.tell(two, end)
  await settled()
  expect(types(connection)).toEqual(['two.session.started', 'two.session.completed'])
  expect(connection.end).toBe('finished')
})

test('entries that come while a stream of all opens are told once', async () => {
  subscriptions = await openTestSubscriptions()
  const ids = Array.from({ length: 30 }, (_, index) => `sess_many${index}`)
  for (const id of ids) await subscriptions.tell(id, start)
  const subscription = await subscriptions.subscribe()
  const connecting = subscriptions.connect(subscription)
  const writing = Promise.all(ids.map((id) => subscriptions.tell(id, call('c1'))))
  const { connection } = await connecting
  await writing
  await settled()
  const calls = types(connection).filter((type) => type.endsWith('tool.invoked'))
  expect([...calls].sort()).toEqual(ids.map((id) => `${id.slice(5)}.tool.invoked`).sort())
})

test('what a named session said between two connections is told when nothing of it was sent before', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  await subscriptions.tell(two, start)
  const subscription = await subscriptions.subscribe({}, { sessions: [one, two], after: 'now' })
  const first = await subscriptions.connect(subscription)
  await gets(first.connection, 2)
  await subscriptions.tell(one, call('c1'))
  await gets(first.connection, 3)
  const lastEventId = first.connection.events[0]?.id ?? ''
  first.open.stream.close()
  await subscriptions.tell(two, call('c2'))
  const { connection } = await subscriptions.connect(subscription, { lastEventId })
  await settled()
  expect([...types(first.connection).slice(0, 1), ...types(connection)].sort()).toEqual([
    'one.state.changed',
    'one.tool.invoked',
    'two.state.changed',
    'two.tool.invoked',
  ])
})

test('a session whose introduction was cut off is introduced with the rest, question by question', async () => {
  subscriptions = await openTestSubscriptions()
  for (const id of [one, two])
    await subscriptions.tell(id, start, question(`rpl_a${id}`), question(`rpl_b${id}`))
  const subscription = await subscriptions.subscribe()
  const whole = await subscriptions.connect(subscription)
  await gets(whole.connection, 6)
  const all = whole.connection.events.map(({ id }) => id)
  whole.open.stream.close()
  for (let cut = all.length - 1; cut >= 0; cut--) {
    const { connection, open } = await subscriptions.connect(subscription, { lastEventId: all[cut] ?? '' })
    await gets(connection, all.length - 1 - cut)
    await settled()
    open.stream.close()
    expect([...all.slice(0, cut + 1), ...connection.events.map(({ id }) => id)].sort()).toEqual(
      [...all].sort(),
    )
  }
})

test.each<[string, readonly SluiceEvent[], string]>([
  ['has done nothing yet', [], 'idle'],
  ['asks', [delta('a'), question('rpl_a')], 'awaiting_input'],
  ['uses a tool', [delta('a'), call('c1')], 'calling_tool'],
  ['writes', [delta('a')], 'writing_output'],
  ['has written', [delta('a'), { kind: 'text-end', output: 'a', take: 0 }], 'working'],
  ['tells its state', [delta('a'), { kind: 'state-change', to: 'thinking' }], 'thinking'],
])('who joins an agent that %s is told so', async (_, events, state) => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, ...events)
  const { connection } = await subscriptions.connect(
    await subscriptions.subscribe({}, { sessions: [one], after: 'now' }),
  )
  await gets(connection, 1)
  expect(connection.values[0]).toMatchObject({ type: 'aaep:agent.state.changed', to_state: state })
})

test('a forged id inside a session gives its state, and goes on from there', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, call('c1'))
  const subscription = await subscriptions.subscribe({}, { sessions: [one] })
  const { connection, open } = await subscriptions.connect(subscription)
  await gets(connection, 2)
  open.stream.close()
  const mint = (connection.events[0]?.id ?? '').replace(/c\d+(u\d+)?(f\d+)?$/, '')
  for (const forged of ['c1u900', 'c0u7f1', 'c77', 'j9q0', 'c1u1f1f1', 'x']) {
    const again = await subscriptions.connect(subscription, { lastEventId: `${mint}${forged}` })
    await settled()
    expect(types(again.connection), forged).toEqual(['one.state.changed'])
    again.open.stream.close()
  }
})

test('a session that the credential no longer reads is not read', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const subscription = await subscriptions.subscribe({}, { sessions: [one, two] })
  const none = callerWith('reader')
  const { connection } = await subscriptions.connect(subscription, { caller: none })
  await subscriptions.tell(two, start)
  await settled()
  expect(connection.events).toEqual([])
})

test('a log that cannot be read is told, and nothing is read twice', async () => {
  const log = createFaultyLog(createMemoryLog())
  subscriptions = await openTestSubscriptions({ log })
  await subscriptions.tell(one, start)
  await subscriptions.tell(two, start)
  const subscription = await subscriptions.subscribe({ max_events_per_second: 2 }, { sessions: [one, two] })
  const { connection } = await subscriptions.connect(subscription)
  await gets(connection, 1)
  log.fail('storage_full')
  subscriptions.clock.advance(10_000)
  await settled()
  expect(connection.end).toBe('reset')
  expect(connection.events.length).toBe(1)
  log.fail(undefined)
  const again = await subscriptions.connect(subscription, { lastEventId: connection.events[0]?.id ?? '' })
  subscriptions.clock.advance(10_000)
  await settled()
  expect([...types(connection), ...types(again.connection)].sort()).toEqual([
    'one.session.started',
    'two.session.started',
  ])
})

test('a session that left memory is still heard', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start)
  const { connection } = await subscriptions.connect(await subscriptions.subscribe({}, { sessions: [one] }))
  await gets(connection, 1)
  subscriptions.clock.advance(24 * 3_600_000)
  await settled()
  expect(subscriptions.kernel.directory.openCount).toBe(0)
  await subscriptions.tell(one, call('c1'))
  await gets(connection, 2)
  expect(types(connection).at(-1)).toBe('one.tool.invoked')
})

test('an introduction keeps to the filters, but for questions', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, question('rpl_1'))
  const exclude = ['aaep:agent.state.*', 'aaep:agent.awaiting.*']
  const subscription = await subscriptions.subscribe(
    { event_filters: { exclude } },
    { sessions: [one], after: 'now' },
  )
  const { connection } = await subscriptions.connect(subscription)
  await settled()
  expect(types(connection)).toEqual(['one.awaiting.confirmation'])
})

test('a subscription to all may begin with the start of what is under way', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, call('c1'))
  const { connection } = await subscriptions.connect(await subscriptions.subscribe({}, { after: 'start' }))
  await settled()
  expect(types(connection)).toEqual(['one.session.started', 'one.tool.invoked'])
})

test('who had nothing of several sessions and names no event begins again', async () => {
  subscriptions = await openTestSubscriptions()
  await subscriptions.tell(one, start, end)
  await subscriptions.tell(two, start, end)
  const subscription = await subscriptions.subscribe({}, { sessions: [one, two] })
  const first = await subscriptions.connect(subscription)
  await gets(first.connection, 4)
  const again = await subscriptions.connect(subscription)
  await gets(again.connection, 4)
  expect(types(again.connection).toSorted()).toEqual(types(first.connection).toSorted())
})
