import { dialects } from '@sluice/protocol/dialects'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aaepEvent, chunk, published } from '../../testing/sample-lines.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

const id = 'sess_read'
const sse = { accept: 'text/event-stream' }
const ndjson = { accept: 'application/x-ndjson' }
let gateway: StartedGateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const open = (query: string, headers: Record<string, string> = sse) =>
  gateway.request(`/v1/sessions/${id}/events${query}`, { headers })
const texts = ['Hello, ', 'world. ', 'It is ', 'late.']
const publishAll = () => gateway.publish(id, texts.map(chunk), '?dialect=stream-event')
const end = () => gateway.post(`/v1/sessions/${id}/end`, {})

interface Page {
  readonly frames: readonly { readonly cursor: string; readonly frame: unknown }[]
  readonly cursor: string
  readonly end: boolean
}
const readPage = async (query: string): Promise<Page> =>
  (await readJson(await open(query, { accept: 'application/json' }))) as unknown as Page // the shape is what is tested

describe('a stream of server-sent events', () => {
  test('has what was there, what comes, and a clean end behind the end of the session', async () => {
    await publishAll()
    const reader = readEvents(await open('?dialect=stream-event'))
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reader.response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(reader.response.headers.get('x-accel-buffering')).toBe('no')
    expect(reader.response.headers.get('sluice-session')).toBe(id)
    expect(reader.response.headers.get('sluice-cursor')).toBe('3')
    const first = [await reader.next(), await reader.next(), await reader.next(), await reader.next()]
    expect(first.map((message) => message?.data)).toEqual(texts.map(chunk))
    expect(first.map((message) => message?.id)).toEqual(['0', '1', '2', '3'])
    await gateway.publish(id, [chunk('More.')], '?dialect=stream-event')
    expect((await reader.next())?.data).toBe(chunk('More.'))
    await end()
    const rest = await reader.rest()
    expect(rest.at(-1)).toMatchObject({ event: 'sluice.end', data: '{"outcome":"completed"}', id: '5' })
  })

  test('goes on behind Last-Event-ID, which wins over the address', async () => {
    await publishAll()
    await end()
    const reader = readEvents(await open('?dialect=stream-event&after=-1', { ...sse, 'last-event-id': '2' }))
    const [next] = await reader.rest()
    expect(next).toMatchObject({ id: '3', data: chunk('late.') })
  })

  test('begins with what comes next when it is asked for that', async () => {
    await publishAll()
    const reader = readEvents(await open('?dialect=stream-event&after=now'))
    await gateway.publish(id, [chunk('New.')], '?dialect=stream-event')
    expect((await reader.next())?.data).toBe(chunk('New.'))
    await reader.close()
  })

  test('tells a gap in-band and goes on from the oldest', async () => {
    await publishAll()
    await end()
    const [gap, first] = await readEvents(await open('?after=77')).rest()
    expect(gap).toMatchObject({ event: 'sluice.gap' })
    expect(JSON.parse(gap?.data ?? '')).toEqual({ requested: '77', oldest: '-1', head: '4' })
    expect(first?.id).toBe('0')
  })

  test('is 204 when the session has ended and nothing is left', async () => {
    await publishAll()
    await end()
    for (const query of ['?after=4', '?after=now']) expect((await open(query)).status).toBe(204)
    expect((await open('', { ...sse, 'last-event-id': '4' })).status).toBe(204)
  })

  test('ends where the session stood when it is not to be live', async () => {
    await publishAll()
    const all = await readEvents(await open('?dialect=stream-event&live=false')).rest()
    expect(all.map(({ id: cursor }) => cursor)).toEqual(['0', '1', '2', '3'])
  })

  test('has a heartbeat when nothing else was sent, with a cursor where it moved', async () => {
    await gateway.publish(id, [chunk('a')], '?dialect=stream-event')
    const inputs = readEvents(await gateway.request(`/v1/sessions/${id}/inputs`, { headers: sse }))
    await gateway.publish(id, [chunk('b')], '?dialect=stream-event')
    gateway.clock.advance(16_000)
    await gateway.post(`/v1/sessions/${id}/messages`, { text: 'Hi.' })
    expect(JSON.parse((await inputs.next())?.data ?? '')).toMatchObject({ type: 'message' })
    expect(inputs.text).toContain(': \nid: 1\n\n')
    await inputs.close()
  })

  test('joins text as it is asked for, live and later alike', async () => {
    await gateway.publish(id, [chunk('Hello, ')], '?dialect=stream-event')
    const live = readEvents(await open('?dialect=stream-event&coalesce=sentence'))
    await gateway.publish(id, texts.slice(1).map(chunk), '?dialect=stream-event')
    await end()
    const frames = (await live.rest()).map(({ data, id: cursor }) => [cursor, data])
    const later = (await readEvents(await open('?dialect=stream-event&coalesce=sentence')).rest()).map(
      ({ data, id: cursor }) => [cursor, data],
    )
    expect(later).toEqual(frames)
    expect(frames.map(([, data]) => data).join('')).toContain('Hello, world. ')
  })

  test('is reset, not ended, when the session is deleted', async () => {
    await publishAll()
    const reader = readEvents(await open(''))
    await reader.next()
    const deleted = await gateway.request(`/v1/sessions/${id}`, {
      method: 'DELETE',
      headers: gateway.asOwner,
    })
    expect(deleted.status).toBe(204)
    await expect(reader.rest()).rejects.toThrow()
    expect((await open('')).status).toBe(410)
  })
})

describe('NDJSON', () => {
  test('is a frame a line', async () => {
    await publishAll()
    const text = await (await open('?dialect=stream-event&live=false', ndjson)).text()
    expect(text).toBe(texts.map((each) => `${chunk(each)}\n`).join(''))
  })

  test('has cursors and the end where they are asked for', async () => {
    await publishAll()
    await end()
    const text = await (await open('?dialect=stream-event&cursors=true', ndjson)).text()
    const lines = text.trimEnd().split('\n')
    expect(lines[0]).toBe(`{"cursor":"0","frame":${chunk('Hello, ')}}`)
    expect(lines.at(-1)).toBe('{"cursor":"4","end":true}')
  })

  test('is a gap as a problem', async () => {
    await publishAll()
    const response = await open('?after=77', ndjson)
    expect(response.status).toBe(410)
    expect(await readJson(response)).toMatchObject({ code: 'gap', requested: '77', oldest: '-1', head: '3' })
  })
})

describe('a page', () => {
  test('walks a whole session in every dialect, one frame at a time, and misses none', async () => {
    const start = aaepEvent(
      { session: id, name: 'session.started', id: 'start' },
      { summary_normal: 'Started.' },
    )
    await gateway.publish(id, [start], '?dialect=aaep')
    const native = published(
      { kind: 'text-delta', output: 'o', take: 0, position: 0, text: 'Two ', channel: 'answer' },
      { kind: 'text-delta', output: 'p', take: 0, position: 0, text: 'texts.', channel: 'answer' },
      { kind: 'tool-call', call: 'c', tool: 'search' },
    )
    await gateway.publish(id, [native], '?dialect=sluice')
    await gateway.publish(id, texts.map(chunk), '?dialect=stream-event')
    await end()
    for (const { id: dialect } of dialects) {
      const whole = await readPage(`?dialect=${dialect}&limit=1000`)
      expect(whole.end).toBe(true)
      const walked: unknown[] = []
      let after = '-1'
      for (let turns = 0; turns < 200; turns++) {
        const page = await readPage(`?dialect=${dialect}&limit=1&after=${after}`)
        expect(page.frames.length).toBeLessThanOrEqual(1)
        walked.push(...page.frames)
        after = page.cursor
        if (page.end) break
      }
      expect(walked.map((each) => JSON.stringify(each))).toEqual(
        whole.frames.map((each) => JSON.stringify(each)),
      )
    }
  })

  test.each(['a2a', 'a2a-v1'])(
    'of %s begins with the task where a reading starts, and not where it continues',
    async (dialect) => {
      await gateway.publish(id, texts.map(chunk), '?dialect=stream-event')
      const query = (more: string): string => `?dialect=${dialect}&limit=1&${more}`
      const first = await readPage(query('after=-1'))
      expect(first.frames).toHaveLength(1)
      const { cursor } = await readPage(query(`after=${first.cursor}`))
      const tasks = async (more: string): Promise<number> => {
        const page = await readPage(query(more))
        return page.frames.filter((frame) => JSON.stringify(frame).includes('"artifacts"')).length
      }
      expect(await tasks(`after=${cursor}`)).toBe(0)
      expect(await tasks(`after=${cursor}&join=true`)).toBe(1)
      expect(await tasks('after=now')).toBe(1)
      expect(await tasks('after=now&join=false')).toBe(0)
    },
  )

  test('behind the end is empty and says so', async () => {
    await publishAll()
    expect(await readPage('?after=3')).toEqual({ frames: [], cursor: '3', end: false })
    await end()
    expect(await readPage('?after=4')).toEqual({ frames: [], cursor: '4', end: true })
  })
})

test('parameters are read strictly', async () => {
  await publishAll()
  const codeOf = async (query: string, headers: Record<string, string> = {}) =>
    (await readJson(await open(query, headers)))['code']
  expect(await codeOf('?after=x')).toBe('bad_cursor')
  expect(await codeOf('?after=1&after=2')).toBe('bad_request')
  expect(await codeOf('?limit=0')).toBe('bad_request')
  expect(await codeOf('?limit=ten')).toBe('bad_request')
  expect(await codeOf('?coalesce=letter')).toBe('bad_request')
  expect(await codeOf('?coalesce=10001ms')).toBe('bad_request')
  expect(await codeOf('?coalesce=0ms')).toBe('bad_request')
  expect(await codeOf('?dialect=latin')).toBe('unknown_dialect')
  expect(await codeOf('?live=maybe', sse)).toBe('bad_request')
  expect(await codeOf('', { accept: 'text/html' })).toBe('not_acceptable')
})

test('one entry has what was received and every finding', async () => {
  const broken = aaepEvent({ session: id, name: 'progress.updated', id: 'p' }, { summary_normal: 'Nowhere.' })
  await gateway.publish(
    id,
    [aaepEvent({ session: id, name: 'session.started', id: 's' }, { summary_normal: 'Go.' }), broken],
    '?dialect=aaep',
  )
  const entry = await readJson(await gateway.request(`/v1/sessions/${id}/entries/1`))
  expect(entry).toMatchObject({ seq: 1, raw: broken, clean: false })
  expect((entry['diagnostics'] as readonly unknown[]).length).toBeGreaterThan(0)
  for (const seq of ['2', '-1', 'x', '99999999999999999'])
    expect(await readJson(await gateway.request(`/v1/sessions/${id}/entries/${seq}`))).toMatchObject({
      code: 'unknown_entry',
    })
})
