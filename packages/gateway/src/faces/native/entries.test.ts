import type { SluiceEvent } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aaepEvent, chunk, published } from '../../testing/sample-lines.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

const id = 'sess_entries'
const call: SluiceEvent = {
  kind: 'tool-call',
  call: 'c',
  tool: 'search',
  args: { q: 'trains' },
  argsSummary: 'Trains',
  meta: {
    id: 'evt_call',
    at: '2026-05-24T14:22:11.342Z',
    agent: { id: 'subscriptions', kind: 'subscriptions' },
  },
}
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
  await gateway.publish(id, [published({ kind: 'session-start', request: 'Go.' })])
  await gateway.publish(id, [chunk('Hello, '), chunk('world.')], '?dialect=stream-event')
  await gateway.publish(id, [
    published(call),
    published({ kind: 'tool-result', call: 'c', tool: 'search', status: 'success', result: ['T1'] }),
  ])
})
afterEach(() => gateway.close())

interface Told {
  readonly dialect: string
  readonly frames: readonly { readonly cursor: string; readonly frame: unknown }[]
  readonly lost: readonly string[]
}
const get = async (path: string): Promise<Told> =>
  (await readJson(await gateway.request(`/v1/sessions/${id}/${path}`))) as unknown as Told // what is tested
const tell = (seq: number, dialect: string) => get(`entries/${seq}?dialect=${dialect}`)

describe('one entry in a dialect', () => {
  test.each(dialects.map((dialect) => dialect.id))(
    'is what its readers get for it, and they get no more: %s',
    async (dialect) => {
      const { frames } = await get(`events?dialect=${dialect}`)
      const told = []
      for (let seq = 0; seq < 5; seq++) told.push(...(await tell(seq, dialect)).frames)
      expect(told).toEqual(frames)
    },
  )

  test('tells what the frames no longer say', async () => {
    expect((await tell(3, 'sluice')).lost).toEqual([])
    expect((await tell(3, 'aaep')).lost).toEqual(['tool-call.args'])
    expect((await tell(3, 'a2a')).lost).toEqual([])
    expect((await tell(3, 'stream-event')).lost).toEqual([
      'meta.agent.id',
      'meta.agent.kind',
      'meta.at',
      'meta.id',
    ])
    expect((await tell(4, 'agent-event')).lost).toEqual(['tool-result.result'])
    expect((await tell(1, 'stream-event')).lost).toEqual([])
  })

  test('that was received in it is the text that was received', async () => {
    const line = aaepEvent(
      { session: 'sess_own', name: 'session.started', id: 's' },
      { summary_normal: 'Go.' },
    )
    await gateway.publish('sess_own', [line], '?dialect=aaep')
    const told = await readJson(await gateway.request('/v1/sessions/sess_own/entries/0?dialect=aaep'))
    expect(told).toEqual({
      dialect: 'aaep',
      frames: [{ cursor: '0', frame: JSON.parse(line) }],
      lost: [],
    })
  })

  test('is refused where the dialect or the entry is unknown, and to a ticket of one dialect', async () => {
    expect(await tell(0, 'latin')).toMatchObject({ code: 'unknown_dialect' })
    for (const seq of ['5', '-1', 'x'])
      expect(await get(`entries/${seq}?dialect=aaep`)).toMatchObject({ code: 'unknown_entry' })
    const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: id, dialect: 'aaep' }))
    expect(await get(`entries/0?dialect=aaep&ticket=${String(ticket)}`)).toMatchObject({ code: 'forbidden' })
  })
})
