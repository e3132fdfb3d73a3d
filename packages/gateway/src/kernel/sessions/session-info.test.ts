import { createMemoryLog, type Log, type SessionHead } from '@sluice/log'
import { describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { each, openTestWriter, publicationOf } from '../../testing/open-test-writer.ts'
import { chunk, toBatch } from '../../testing/sample-lines.ts'
import { createInfo, fromInfo, toResource } from './session-info.ts'

const id = 'sess_info'
const stream = publicationOf('stream-event')
const bad = '{"type":"tool_result","data":{"tool":"nobody","output":1}}'

const headOf = async (log: Log): Promise<SessionHead> => {
  const head = await log.head(id)
  if (head === undefined) throw new Error('The session has no head.')
  return head
}

describe('the findings of a session', () => {
  test('are counted in its head over batches, entries of the gateway and writers', async () => {
    const log = createMemoryLog()
    const { writer } = await openTestWriter(id, log)
    await writer.publish(toBatch(chunk('a')), stream, each)
    expect(toResource(await headOf(log)).findings).toBe(0)
    await writer.publish(toBatch(bad, chunk('b'), bad), stream, each)
    expect(toResource(await headOf(log)).findings).toBe(2)
    await writer.make(() => [{ kind: 'notice', level: 'info', text: 'made' }], {
      direction: 'system',
      source: { dialect: 'sluice' },
    })
    await writer.rest()
    const next = await openTestWriter(id, log)
    await next.writer.publish(toBatch(bad), stream, each)
    expect(toResource(await headOf(log)).findings).toBe(3)
  })

  test('are not counted for a refused array', async () => {
    const log = createMemoryLog()
    const { writer } = await openTestWriter(id, log)
    await writer.publish(toBatch(chunk('a')), stream, each)
    await writer.publish(toBatch('{', bad), stream, { ...each, atomic: true })
    expect(toResource(await headOf(log)).findings).toBe(0)
  })

  test('rewrite the head only when there are more of them', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer } = await openTestWriter(id, log)
    for (const line of [chunk('a'), bad, chunk('b'), bad, chunk('c'), chunk('d')])
      await writer.publish(toBatch(line), stream, each)
    const findings = log.appends.flatMap(({ info }) => (info === undefined ? [] : [info['findings'] ?? 0]))
    expect(Math.max(...findings.map(Number))).toBe(2)
    expect(log.appends.at(-1)?.info).toBeUndefined()
  })

  test('are 0 where an older gateway did not count them', () => {
    const head = { session: id, createdAt: 1, updatedAt: 2, lastSeq: 0, bytes: 0, producers: {} }
    const resource = toResource({ ...head, endedAt: undefined, info: fromInfo(createInfo({})) })
    expect(resource.findings).toBe(0)
  })
})
