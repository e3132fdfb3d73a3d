import { createMemoryLog } from '@sluice/log'
import { decodeOutline, type EncodedOutline, outlineOf, type SluiceEvent } from '@sluice/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entriesIn } from '../../testing/open-test-writer.ts'
import { aaepEvent, chunk, published } from '../../testing/sample-lines.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

const id = 'sess_outline'
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const get = async (query = ''): Promise<EncodedOutline> =>
  (await readJson(await gateway.request(`/v1/sessions/${id}/outline${query}`))) as unknown as EncodedOutline // what is tested
const say = (...texts: readonly string[]) => gateway.publish(id, texts.map(chunk), '?dialect=stream-event')

test('the outline of a session tells what its entries are, and no payload', async () => {
  const broken = aaepEvent({ session: id, name: 'progress.updated', id: 'p' }, { summary_normal: 'Nowhere.' })
  await gateway.publish(
    id,
    [aaepEvent({ session: id, name: 'session.started', id: 's' }, { summary_normal: 'Go.' }), broken],
    '?dialect=aaep',
  )
  await say('Secret words. ', 'né 👍')
  await gateway.publish(id, [
    published({ kind: 'tool-call', call: 'c', tool: 'search', args: { q: 'a secret' } }),
    published({ kind: 'tool-result', call: 'c', tool: 'search', status: 'timeout', message: 'a secret' }),
  ])
  const page = await get()
  expect(page).toMatchObject({ from: 0, head: 5 })
  expect(page).not.toHaveProperty('next')
  expect(page.rows.map(([, , characters, findings]) => [characters, findings])).toEqual([
    [0, 0],
    [0, expect.any(Number)],
    [14, 0],
    [4, 0],
    [0, 0],
    [0, 0],
  ])
  expect(page.rows[1]?.[3]).toBeGreaterThan(0)
  expect(page.calls).toEqual([
    { seq: 4, call: 'c', tool: 'search' },
    { seq: 5, call: 'c', tool: 'search', status: 'timeout' },
  ])
  expect(page.shapes[page.rows[5]?.[1] ?? -1]).toMatchObject({ kinds: ['tool-result'], level: 'error' })
  expect(JSON.stringify(page)).not.toMatch(/secret/i)
  expect(decodeOutline(page).rows).toEqual((await entriesIn(gateway.log, id)).map(outlineOf))
})

test('the outline comes in pages that miss none', async () => {
  await say(...Array.from({ length: 25 }, (_, index) => `${index} `))
  const seen: number[] = []
  let page = await get('?limit=10')
  for (;;) {
    seen.push(...decodeOutline(page).rows.map(({ seq }) => seq))
    expect(page.head).toBe(24)
    if (page.next === undefined) break
    page = await get(`?limit=10&after=${page.next}`)
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index))
  expect(await get('?after=24')).toEqual({ from: 25, shapes: [], rows: [], calls: [], head: 24 })
  expect((await get('?after=22')).from).toBe(23)
  expect((await get('?after=999')).rows).toEqual([])
})

test('the outline of a session without entries is empty', async () => {
  await gateway.post('/v1/sessions', { id })
  expect(await get()).toEqual({ from: 0, shapes: [], rows: [], calls: [], head: -1 })
})

test('a page of the outline ends early where the names of calls are enormous', async () => {
  const tool = 'x'.repeat(200_000)
  const call = (index: number): SluiceEvent => ({ kind: 'tool-call', call: `c${index}`, tool })
  for (let index = 0; index < 8; index++) await gateway.publish(id, [published(call(index))])
  const page = await get()
  expect(page.rows.length).toBeLessThan(8)
  expect(page.next).toBe(page.rows.length - 1)
  const rest = await get(`?after=${page.next}`)
  expect([rest.from, rest.from + rest.rows.length]).toEqual([page.rows.length, 8])
})

test('the outline is made in slices, between which others are answered', async () => {
  const log = createMemoryLog()
  let reads = 0
  let answered = 0
  const other = await startGateway({
    log: {
      ...log,
      read: (...asked) => {
        reads += 1
        return log.read(...asked)
      },
    },
  })
  const line = published({ kind: 'notice', level: 'info', text: 'x'.repeat(100_000) })
  for (let index = 0; index < 20; index++) await other.publish(id, [line])
  reads = 0
  const outline = other.request(`/v1/sessions/${id}/outline`).then((response) => response.json())
  const asking = setImmediate(function count() {
    if (reads > 0) answered += 1
    if (reads < 6) setImmediate(count)
  })
  expect(await outline).toMatchObject({ head: 19 })
  clearImmediate(asking)
  expect(reads).toBeGreaterThan(5)
  expect(answered).toBeGreaterThan(2)
  await other.close()
})

test('what the outline does not understand is told, and whom it is not for', async () => {
  await say('a')
  for (const query of ['?after=now', '?after=1.2', '?limit=0', '?limit=x', '?after=-2'])
    expect(await get(query), query).toMatchObject({ code: 'bad_request' })
  expect((await get('?limit=99999')).rows).toHaveLength(1)
  expect((await gateway.request('/v1/sessions/sess_none/outline')).status).toBe(404)
  const { ticket } = await readJson(await gateway.post('/v1/tickets', { session: id, dialect: 'aaep' }))
  expect((await gateway.request(`/v1/sessions/${id}/outline?ticket=${String(ticket)}`)).status).toBe(403)
})
