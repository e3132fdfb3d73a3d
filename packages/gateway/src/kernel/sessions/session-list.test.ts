import { createMemoryLog, type Log } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { listSessions } from './session-list.ts'

async function fill(count: number): Promise<Log> {
  const log = createMemoryLog()
  for (let index = 0; index < count; index++) {
    const lease = await log.openWriter(`sess_${index}`)
    const labels = { parity: index % 2 === 0 ? 'even' : 'odd' }
    await log.append({
      lease,
      firstSeq: 0,
      records: [],
      at: 1000 + Math.floor(index / 3),
      info: { status: 'idle', questions: 0, labels, attributes: {} },
    })
  }
  return log
}

async function walk(log: Log, limit: number, isVisible: (id: string) => boolean): Promise<readonly string[]> {
  const ids: string[] = []
  let page: string | undefined
  do {
    const found = await listSessions(log, omitUndefined({ limit, labels: [], page }), ({ id }) =>
      isVisible(id),
    )
    ids.push(...found.sessions.map(({ id }) => id))
    page = found.next
  } while (page !== undefined)
  return ids
}

test('pages of any size walk all sessions once, also those created in the same millisecond', async () => {
  const log = await fill(50)
  const all = await walk(log, 200, () => true)
  expect(new Set(all).size).toBe(50)
  for (const limit of [1, 3, 7, 50]) expect(await walk(log, limit, () => true)).toEqual(all)
})

test('a page may be empty while there is more, when few of many are visible', async () => {
  const log = await fill(5300)
  const first = await listSessions(log, { limit: 10, labels: [] }, ({ id }) => id === 'sess_0')
  expect(first.sessions).toEqual([])
  expect(first.next).toBeDefined()
  expect(await walk(log, 10, (id) => id === 'sess_0')).toEqual(['sess_0'])
})

test('what is not a page is refused', async () => {
  const log = await fill(1)
  for (const page of ['', '!', Buffer.from('7 sess_').toString('base64url'), 'x'.repeat(500)])
    await expect(listSessions(log, { limit: 1, labels: [], page }, () => true)).rejects.toMatchObject({
      code: 'bad_request',
    })
})
