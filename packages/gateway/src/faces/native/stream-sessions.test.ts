import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLarge } from '../../testing/large-sessions.ts'
import {
  type EventReader,
  readEvents,
  type StartedGateway,
  startGateway,
} from '../../testing/start-gateway.ts'

const hourMs = 3_600_000
let gateway: StartedGateway
let reader: EventReader

beforeEach(async () => {
  gateway = await startGateway()
  const headers = { accept: 'text/event-stream' }
  reader = readEvents(await gateway.request('/v1/sessions?live=true', { headers }))
  expect(await reader.next()).toMatchObject({ event: 'ready' })
})
afterEach(() => gateway.close())

const end = (id: string) => gateway.post(`/v1/sessions/${id}/end`)

/** The reported states of each session, up to the first report of `last`. */
async function toldUpTo(last: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const told = new Map<string, string[]>()
  while (!told.has(last)) {
    const { id, state }: { id: string; state: string } = JSON.parse((await reader.next())?.data ?? '')
    told.set(id, [...(told.get(id) ?? []), state])
  }
  return told
}

test('a reader of the list that does not read gets what changed since, each as it is then', async () => {
  const ids = await createLarge(gateway)
  for (const id of ids) await end(id)
  await gateway.post('/v1/sessions', { id: 'sess_last' })
  const told = await toldUpTo('sess_last')
  expect(ids.map((id) => told.get(id)?.at(-1))).toEqual(ids.map(() => 'ended'))
  expect([...told.values()].filter((states) => states.join() === 'ended').length).toBeGreaterThan(0)
  await reader.close()
})

test('a reader of the list that took nothing for an hour is reset, and no earlier', async () => {
  const ids = await createLarge(gateway)
  gateway.clock.advance(hourMs - 60_000)
  await toldUpTo(ids.at(-1) ?? '')
  for (const id of ids) await end(id)
  gateway.clock.advance(hourMs + 60_000)
  await expect(reader.rest()).rejects.toThrow()
})
