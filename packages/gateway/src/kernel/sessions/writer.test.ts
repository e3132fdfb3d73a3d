import { createMemoryLog, type Log } from '@sluice/log'
import { omitUndefined } from '@sluice/protocol'
import { toSessionId } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import {
  allOrNothing,
  each,
  entriesIn,
  openTestWriter,
  publicationOf,
} from '../../testing/open-test-writer.ts'
import { aaepConfirmation, aaepEvent, chunk, toBatch } from '../../testing/sample-lines.ts'

const id = 'sess_writer'
const bare = publicationOf('stream-event')
const aaep = publicationOf('aaep')
const started = aaepEvent(
  { session: id, name: 'session.started', id: 'start' },
  { summary_normal: 'Started.' },
)

const seqsIn = async (log: Log): Promise<readonly number[]> =>
  (await entriesIn(log, id)).map(({ seq }) => seq)

describe('an array', () => {
  test('is stored as a whole', async () => {
    const log = createMemoryLog()
    const { writer, committed } = await openTestWriter(id, log)
    const report = await writer.publish(toBatch(chunk('a'), chunk('b')), bare, allOrNothing)
    expect(report).toEqual({ accepted: 2, duplicates: 0, refused: [], findings: [], seq: 1 })
    expect(committed.map(({ entries }) => entries.length)).toEqual([2])
  })

  test('is refused as a whole, with every place, and leaves nothing behind', async () => {
    const log = createMemoryLog()
    const { writer, committed } = await openTestWriter(id, log)
    const batch = toBatch(started, 'no', aaepEvent({ session: id, name: 'state.changed', id: 'x' }, {}), '{')
    const report = await writer.publish(batch, aaep, allOrNothing)
    expect(report).toMatchObject({ accepted: 0, findings: [], seq: -1 })
    expect(report.refused.map(({ line, code }) => [line, code])).toEqual([
      [2, 'not_json'],
      [4, 'not_json'],
    ])
    expect(committed).toEqual([])
    expect(writer.pending.seq).toBe(-1)
    // The ids of events that were not stored stay free.
    expect(await writer.publish(toBatch(started), aaep, allOrNothing)).toMatchObject({ accepted: 1 })
  })
})

describe('a log that fails', () => {
  test('leaves nothing of the append visible and fails what queued behind it', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer, committed, failures } = await openTestWriter(id, log)
    await writer.publish(toBatch(chunk('a')), bare, each)
    log.failAppends('storage_full', 0)
    const results = await Promise.allSettled([
      writer.publish(toBatch(chunk('b')), bare, each),
      writer.publish(toBatch(chunk('c')), bare, each),
      writer.make(() => [{ kind: 'notice', level: 'info', text: 'd' }], {
        direction: 'system',
        source: { dialect: 'sluice' },
      }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(committed).toHaveLength(1)
    expect(failures.count).toBe(1)
    await expect(writer.publish(toBatch(chunk('e')), bare, each)).rejects.toMatchObject({ code: 'fenced' })
    expect(await seqsIn(log)).toEqual([0])
  })

  test('lets the next writer go on without a gap', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer } = await openTestWriter(id, log)
    await writer.publish(toBatch(chunk('a')), bare, each)
    log.fail('storage_full')
    await expect(writer.publish(toBatch(chunk('b')), bare, each)).rejects.toMatchObject({
      code: 'storage_full',
    })
    log.fail(undefined)
    const next = await openTestWriter(id, log)
    expect(await next.writer.publish(toBatch(chunk('b'), chunk('c')), bare, each)).toMatchObject({ seq: 2 })
    expect(await seqsIn(log)).toEqual([0, 1, 2])
  })

  test('does not let a duplicate be acknowledged before the first one is durable', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer } = await openTestWriter(id, log)
    const release = log.hold()
    const first = writer.publish(toBatch(started), aaep, each)
    const again = writer.publish(toBatch(started), aaep, each)
    const isDone = await Promise.race([
      again.then(() => true),
      new Promise((run) => setImmediate(run, false)),
    ])
    expect(isDone).toBe(false)
    release()
    expect(await first).toMatchObject({ accepted: 1 })
    expect(await again).toMatchObject({ duplicates: 1 })
  })

  test('fails a duplicate with the one that it repeats', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer } = await openTestWriter(id, log)
    log.failAppends('storage_failed', 0)
    const first = writer.publish(toBatch(started), aaep, each)
    const again = writer.publish(toBatch(started), aaep, each)
    await expect(first).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(again).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('what the log keeps beside the entries', () => {
  test('is written with what changes it and not otherwise', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { writer } = await openTestWriter(id, log)
    await writer.publish(toBatch(chunk('a')), bare, {
      ...each,
      info: { owner: 'ada', labels: { team: 'x' } },
    })
    await writer.publish(toBatch(chunk('b')), bare, each)
    expect(log.appends.map(({ info }) => info !== undefined)).toEqual([true, false])
    expect((await log.head(id))?.info).toMatchObject({
      owner: 'ada',
      labels: { team: 'x' },
      dialect: 'stream-event',
      questions: 0,
    })
  })

  test('counts open questions and marks them until they are closed', async () => {
    const log = createMemoryLog()
    const { writer } = await openTestWriter(id, log)
    await writer.publish(toBatch(started, aaepConfirmation(id, 'ask', 'rpl_1')), aaep, each)
    expect((await log.head(id))?.info).toMatchObject({ questions: 1, status: 'awaiting_input' })
    expect(await log.marks('question/')).toMatchObject([
      { session: id, name: 'question/rpl_1', value: { seq: 1, timeoutMs: 60_000 } },
    ])
    await writer.make(
      () => [{ kind: 'question-close', token: 'rpl_1', how: 'answered', decision: 'accept' }],
      {
        direction: 'input',
        source: { dialect: 'sluice', subject: 'ada' },
      },
    )
    expect((await log.head(id))?.info).toMatchObject({ questions: 0 })
    expect(await log.marks('question/')).toEqual([])
  })

  test('says how the session ended, and nothing follows the end', async () => {
    const log = createMemoryLog()
    const { writer, committed } = await openTestWriter(id, log)
    await writer.publish(toBatch(started, aaepConfirmation(id, 'ask', 'rpl_1')), aaep, each)
    const done = aaepEvent(
      { session: id, name: 'session.completed', id: 'done' },
      { summary_normal: 'Done.', success: true },
    )
    expect(await writer.publish(toBatch(done, chunk('late')), aaep, each)).toMatchObject({
      accepted: 1,
      refused: [{ line: 2, code: 'session_ended' }],
    })
    expect(committed.at(-1)).toMatchObject({ ended: true })
    expect(await log.head(id)).toMatchObject({ info: { outcome: 'completed', questions: 0 } })
    expect((await log.head(id))?.endedAt).toBeDefined()
    expect(await log.marks('question/')).toEqual([])
    await expect(
      writer.make(() => [{ kind: 'notice', level: 'info', text: 'late' }], {
        direction: 'system',
        source: { dialect: 'sluice' },
      }),
    ).rejects.toMatchObject({ code: 'session_ended' })
    expect(await writer.publish(toBatch(done), aaep, each)).toMatchObject({ duplicates: 1, refused: [] })
  })

  test('is made durable by create(), once', async () => {
    const log = createMemoryLog()
    const { writer, committed } = await openTestWriter(id, log)
    const [first, second] = await Promise.all([
      writer.create({ owner: 'ada', attributes: { a: 1 } }),
      writer.create({ owner: 'bob' }),
    ])
    expect(first).toMatchObject({ owner: 'ada', attributes: { a: 1 } })
    expect(second).toBeUndefined()
    expect(committed).toHaveLength(1)
    expect(await log.head(id)).toMatchObject({ lastSeq: -1, info: { owner: 'ada' } })
    expect(await writer.publish(toBatch(started), aaep, { ...each, info: { owner: 'eve' } })).toMatchObject({
      seq: 0,
    })
    expect((await log.head(id))?.info).toMatchObject({ owner: 'ada', dialect: 'aaep' })
  })
})

describe('an event that names', () => {
  const other = aaepEvent(
    { session: 'sess_other', name: 'session.started', id: 'start' },
    { summary_normal: 'Started.' },
  )

  test('another session is refused', async () => {
    const { writer } = await openTestWriter(id, createMemoryLog())
    await writer.publish(toBatch(started), aaep, each)
    expect(await writer.publish(toBatch(other), aaep, each)).toMatchObject({
      accepted: 0,
      refused: [{ line: 1, code: 'session_mismatch' }],
    })
  })

  test('another session is refused as the first one of its session too', async () => {
    const log = createMemoryLog()
    const { writer } = await openTestWriter(id, log)
    expect(await writer.publish(toBatch(other), aaep, each)).toMatchObject({
      accepted: 0,
      refused: [{ line: 1, code: 'session_mismatch' }],
    })
    expect(await log.head(id)).toBeUndefined()
  })

  test('its session as its dialect calls it is taken, and the name is kept', async () => {
    const log = createMemoryLog()
    const derived = toSessionId('', 'task-7')
    const { writer } = await openTestWriter(derived, log)
    const task = JSON.stringify({
      kind: 'status-update',
      taskId: 'task-7',
      contextId: 'talk-1',
      status: { state: 'working', timestamp: '2026-05-24T14:22:11.342Z' },
      final: false,
    })
    const report = await writer.publish(toBatch(task), publicationOf('a2a'), each)
    expect(report).toMatchObject({ accepted: 1, refused: [] })
    expect((await log.head(derived))?.info).toMatchObject({ foreign: 'task-7', context: 'talk-1' })
    const stranger = task.replace('task-7', 'task-8')
    expect(await writer.publish(toBatch(stranger), publicationOf('a2a'), each)).toMatchObject({
      refused: [{ code: 'session_mismatch' }],
    })
  })

  test('another agent than the credential is bound to is refused', async () => {
    const { writer } = await openTestWriter(id, createMemoryLog())
    const bound = publicationOf('aaep', { agent: 'tester' })
    expect(await writer.publish(toBatch(started), bound, each)).toMatchObject({ accepted: 1 })
    const stranger = publicationOf('aaep', { agent: 'somebody' })
    const next = aaepEvent(
      { session: id, name: 'progress.updated', id: 'p1' },
      {
        progress: { percent: 1 },
        summary_normal: 'One.',
      },
    )
    expect(await writer.publish(toBatch(next), stranger, each)).toMatchObject({
      refused: [{ code: 'agent_mismatch' }],
    })
  })
})

test('who sent an entry and the trace it came with stand in its source', async () => {
  const log = createMemoryLog()
  const { writer } = await openTestWriter(id, log)
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await writer.publish(toBatch(started), publicationOf('aaep', { subject: 'ada', trace }), each)
  expect((await entriesIn(log, id))[0]?.source).toEqual({ dialect: 'aaep', subject: 'ada', trace })
})

test('a session that has a writer of its own takes nothing from others, also from those who came before it', async () => {
  const { writer } = await openTestWriter(id, createMemoryLog())
  await writer.create({ writer: 'run:one' })
  const batch = toBatch(chunk('a'))
  for (const given of [undefined, 'run:two', 'upstream:http://one'])
    await expect(
      writer.publish(batch, bare, { ...each, ...omitUndefined({ writer: given }) }),
    ).rejects.toMatchObject({ code: 'session_reserved' })
  await expect(writer.claim('me', {}, 'subject:me')).rejects.toMatchObject({ code: 'session_reserved' })
  expect(await writer.publish(batch, bare, { ...each, writer: 'run:one' })).toMatchObject({ accepted: 1 })
})
