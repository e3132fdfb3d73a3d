import { createMemoryLog, type Log } from '@sluice/log'
import { beforeEach, describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { each, entriesIn, openTestWriter, publicationOf } from '../../testing/open-test-writer.ts'
import { aaepEvent, chunk, toBatch } from '../../testing/sample-lines.ts'
import type { Writer } from './writer.ts'

const id = 'sess_ids'
const aaep = publicationOf('aaep')
const start = aaepEvent({ session: id, name: 'session.started', id: 'start' }, { summary_normal: 'Started.' })
const say = (eventId: string, percent: number): string =>
  aaepEvent(
    { session: id, name: 'progress.updated', id: eventId },
    { progress: { percent }, summary_normal: `At ${percent}.` },
  )

let log: Log
let writer: Writer

beforeEach(async () => {
  log = createMemoryLog()
  writer = (await openTestWriter(id, log)).writer
  await writer.publish(toBatch(start), aaep, each)
})

const codesOf = async (seq: number): Promise<readonly string[]> =>
  (await entriesIn(log, id))[seq]?.diagnostics.map(({ code }) => code) ?? []

describe('an event with an id that the session has', () => {
  test('is stored once when its bytes are the same', async () => {
    const first = await writer.publish(toBatch(say('a', 10)), aaep, each)
    const again = await writer.publish(toBatch(say('a', 10)), aaep, each)
    expect(first).toMatchObject({ accepted: 1, duplicates: 0, seq: 1 })
    expect(again).toMatchObject({ accepted: 0, duplicates: 1, findings: [], seq: 1 })
    expect(await entriesIn(log, id)).toHaveLength(2)
  })

  test('is another event with a finding when its bytes are others, and is stored once as well', async () => {
    await writer.publish(toBatch(say('a', 10)), aaep, each)
    const other = await writer.publish(toBatch(say('a', 20)), aaep, each)
    expect(other).toMatchObject({
      accepted: 1,
      duplicates: 0,
      findings: [{ line: 1, code: 'duplicate_event_id' }],
      seq: 2,
    })
    expect(await codesOf(2)).toEqual(['duplicate_event_id'])
    for (const percent of [20, 10])
      expect(await writer.publish(toBatch(say('a', percent)), aaep, each)).toMatchObject({
        accepted: 0,
        duplicates: 1,
      })
    expect(await writer.publish(toBatch(say('a', 30)), aaep, each)).toMatchObject({ accepted: 1 })
  })

  test('is known within one batch', async () => {
    const lines = [say('a', 10), say('a', 10), say('a', 20), say('a', 20), say('a', 10)]
    expect(await writer.publish(toBatch(...lines), aaep, each)).toMatchObject({
      accepted: 2,
      duplicates: 3,
      findings: [{ line: 3, code: 'duplicate_event_id' }],
    })
  })

  test('is the same event when only blanks outside of its strings differ in line breaks', async () => {
    await writer.publish(toBatch(say('a', 10)), aaep, each)
    const broken = say('a', 10).replace('{', '{\n')
    expect(await writer.publish(toBatch(broken), aaep, each)).toMatchObject({ duplicates: 1 })
  })

  test.each(['', 'x'])('is not mistaken for another one whose id was made to collide (%s)', async (shift) => {
    // Flipping the same high bit twice, two characters apart, cancels out in hashes that anyone can compute.
    const lines = ['a\u4e00b\u4e00', 'a\uce00b\uce00'].map((eventId) => {
      const { event_id, ...rest } = JSON.parse(say(eventId, 10))
      return JSON.stringify({ note: shift, event_id, ...rest })
    })
    for (const line of lines) {
      const report = await writer.publish(toBatch(line), aaep, each)
      expect(report).toMatchObject({ accepted: 1, duplicates: 0 })
      expect(report.findings.map(({ code }) => code)).not.toContain('duplicate_event_id')
    }
  })

  test('is not looked for where a dialect has no ids', async () => {
    const bare = publicationOf('stream-event')
    const twice = await writer.publish(toBatch(chunk('a'), chunk('a')), bare, each)
    expect(twice).toMatchObject({ accepted: 2, duplicates: 0 })
  })
})

describe('after the session was opened again, an event', () => {
  const reopen = async (): Promise<void> => {
    writer = (await openTestWriter(id, log)).writer
  }
  const expectKnown = async (...lines: readonly string[]): Promise<void> => {
    const before = (await entriesIn(log, id)).length
    expect(await writer.publish(toBatch(...lines), aaep, each)).toMatchObject({
      accepted: 0,
      duplicates: lines.length,
    })
    expect(await entriesIn(log, id)).toHaveLength(before)
  }

  test('is known from the entries alone', async () => {
    await writer.publish(toBatch(say('a', 10), say('a', 20), say('b', 30)), aaep, each)
    await reopen()
    await expectKnown(say('a', 10), say('a', 20), say('b', 30))
  })

  test('is known from a checkpoint', async () => {
    await writer.publish(toBatch(say('a', 10), say('a', 20), say('b', 30)), aaep, each)
    await writer.rest()
    await reopen()
    await expectKnown(say('a', 10), say('a', 20), say('b', 30))
  })

  test('is known with all its bytes when its id was taken before the checkpoint and again behind it', async () => {
    await writer.publish(toBatch(say('a', 10)), aaep, each)
    await writer.rest()
    await writer.publish(toBatch(say('a', 20)), aaep, each)
    await reopen()
    await expectKnown(say('a', 10), say('a', 20))
  })

  test('is known through a chain of checkpoints', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => say(`n${index % 30}`, index))
    for (const line of lines) {
      await writer.publish(toBatch(line), aaep, each)
      await writer.rest()
    }
    await reopen()
    await expectKnown(...lines)
  })
})

test('an event that failed to be stored is not taken for a duplicate, whatever a checkpoint has kept', async () => {
  const faulty = createFaultyLog(createMemoryLog())
  const { writer: first } = await openTestWriter(id, faulty)
  await first.publish(toBatch(start), aaep, each)
  const many = Array.from({ length: 1024 }, (_, index) => say(`m${index}`, index % 100))
  // The first append triggers a checkpoint while the second one is on its way, and the second one fails.
  faulty.failAppends('storage_full', 1)
  const stored = first.publish(toBatch(...many), aaep, each)
  const lost = first.publish(toBatch(say('lost', 5)), aaep, each)
  await stored
  await expect(lost).rejects.toMatchObject({ code: 'storage_full' })
  await first.rest()
  const { writer: second } = await openTestWriter(id, faulty)
  expect(await second.publish(toBatch(say('lost', 5)), aaep, each)).toMatchObject({ accepted: 1 })
})
