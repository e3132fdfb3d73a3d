import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Log, openLmdbLog } from '@sluice/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestKernel } from '../../testing/open-test-kernel.ts'
import { published } from '../../testing/sample-lines.ts'
import { readOpenMark, readUsedMark, toMarkName } from './question-marks.ts'

const id = 'sess_marked'
let directory: string
let log: Log
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-marks-'))
  log = await openLmdbLog({ directory, minFreeBytes: 0 })
})
afterEach(async () => {
  await log.close()
  await rm(directory, { recursive: true })
})

test.each([
  ['short', 't'],
  ['long', 't'.repeat(5_000)],
  ['like a hash', 'sha256 t'],
  ['long in bytes', 'é'.repeat(129)],
])('a question is found again by its marks, whatever its token: %s', async (_, token) => {
  const first = await openTestKernel({ log })
  await first.ask(id, { token, timeoutMs: 90_000 })
  const at = first.clock.now()
  const [mark] = await log.marks('question/')
  expect(mark && readOpenMark(mark)).toEqual({
    session: id,
    token,
    seq: 0,
    at,
    timeoutMs: 90_000,
    dialect: 'sluice',
  })
  await first.close()
  const second = await openTestKernel({ log, startAt: at + 1 })
  expect(second.kernel.questions.find(token)).toEqual({ session: id, token })
  second.clock.advance(45_000)
  await second.has(id, 2)
  expect(await log.marks('countdown/')).toMatchObject([{ value: at + 45_001 }])
  await second.publish(id, [published({ kind: 'question-close', token, how: 'cancelled' })])
  expect(await log.marks('question/')).toEqual([])
  expect(await log.marks('countdown/')).toEqual([])
  expect((await log.marks('token/')).map(readUsedMark)).toEqual([{ token, at: at + 45_001 }])
  await second.close()
})

test('readOpenMark() reads marks that say less, and no others', () => {
  const mark = { session: id, name: 'question/t' }
  expect(readOpenMark({ ...mark, value: { seq: 3, at: 5, timeoutMs: null } })).toEqual({
    session: id,
    token: 't',
    seq: 3,
    at: 5,
    timeoutMs: undefined,
    dialect: '',
  })
  expect(readOpenMark({ ...mark, value: 7 })).toBeUndefined()
  expect(readOpenMark({ ...mark, value: { seq: 'x' } })).toBeUndefined()
})

test('toMarkName() never gives two tokens one name', () => {
  const long = 'x'.repeat(300)
  expect(toMarkName(long).length).toBeLessThan(100)
  expect(toMarkName(toMarkName(long))).not.toBe(toMarkName(long))
})
