import { createClient } from '@sluice/client'
import type { SluiceEvent } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { collect } from '../../packages/client/src/testing/collect.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const session = 'sess_inspected'
const groups: readonly (readonly SluiceEvent[])[] = [
  [{ kind: 'session-start', request: 'Trains, please.' }],
  [{ kind: 'tool-call', call: 'c', tool: 'search', args: { q: 'trains' } }],
  [{ kind: 'tool-result', call: 'c', tool: 'search', status: 'error', message: 'No trains.' }],
  [{ kind: 'question-open', question: 'confirmation', token: 'q', text: 'By bus?' }],
  [{ kind: 'session-end', outcome: 'failed' }],
]

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
  await client().publish(
    session,
    groups.map((events) => ({ events })),
    { dialect: 'sluice' },
  )
})
afterAll(() => gateway?.close())

const client = () => createClient({ url: gateway.url, token: localKey, WebSocket })

test('the outline of a session is read page by page', async () => {
  const first = await client().outline(session, { limit: 3 })
  expect(first).toMatchObject({ next: 2, head: 4 })
  const second = await client().outline(session, { after: 2 })
  expect(second.next).toBeUndefined()
  const rows = [...first.rows, ...second.rows]
  expect(rows.map(({ seq, kinds, level }) => [seq, kinds.at(-1), level])).toEqual([
    [0, 'session-start', undefined],
    [1, 'tool-call', undefined],
    [2, 'tool-result', 'error'],
    [3, 'question-open', undefined],
    [4, 'session-end', 'error'],
  ])
  expect(rows[2]?.calls).toEqual([{ call: 'c', tool: 'search', status: 'error' }])
})

test('an entry is read whole, and in every dialect of the gateway', async () => {
  expect(await client().entry(session, 1)).toMatchObject({ seq: 1, events: groups[1] })
  const known = await client().dialects()
  expect(known.map(({ id }) => id)).toEqual(dialects.map(({ id }) => id))
  for (const { id } of known) {
    const { dialect, frames, lost } = await client().entryIn(session, 1, { dialect: id })
    expect(dialect).toBe(id)
    expect(frames.length).toBeGreaterThan(0)
    expect(lost.includes('tool-call.args')).toBe(id === 'aaep' || id === 'agent-event')
  }
})

test('the audit of a session is read', async () => {
  expect(await client().questions(session)).toMatchObject([
    { token: 'q', text: 'By bus?', seq: 3, how: 'cancelled', closedSeq: 4 },
  ])
})

test('the gateway tells who a client is', async () => {
  expect(await client().whoAmI()).toMatchObject({ subject: 'local', via: 'key' })
  const anonymous = createClient({ url: gateway.url })
  expect(await anonymous.whoAmI()).toEqual({ via: 'anonymous', actions: ['publish', 'subscribe'] })
  await expect(anonymous.login('wrong')).rejects.toMatchObject({ code: 'unauthenticated' })
  const { token, expiresAt } = await anonymous.login(localKey)
  const loggedIn = createClient({ url: gateway.url, token })
  expect(await loggedIn.whoAmI()).toMatchObject({ subject: 'local', via: 'login', expiresAt })
  await loggedIn.logout()
  await expect(loggedIn.whoAmI()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test.each(['sse', 'ws'] as const)(
  'a subscription over %s tells how far the session has come',
  async (transport) => {
    const states: object[] = []
    const onConnection = (state: object) => void states.push(state)
    await collect(client().subscribe(session, { transport, onConnection }))
    expect(states).toContainEqual({ status: 'catching-up', head: '4' })
  },
)
