import { createMemoryLog } from '@sluice/log'
import { toReplyToken } from '@sluice/protocol/dialects'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFaultyLog, type FaultyLog } from '../../testing/faulty-log.ts'
import { callerWith, openTestKernel, type TestKernel } from '../../testing/open-test-kernel.ts'
import { answerToken } from './answer-token.ts'

const id = 'sess_asked'
const ada = callerWith('ada', 'answer', 'subscribe')
let log: FaultyLog
let gate: TestKernel
beforeEach(async () => {
  log = createFaultyLog(createMemoryLog())
  gate = await openTestKernel({ log })
  await gate.ask(id, { token: 'a token', timeoutMs: 10_000 })
})
afterEach(() => gate.close())

const close = async () => (await gate.events(id)).find((event) => event.kind === 'question-close')
const reasons = () => gate.lines.map(({ reason, subject, session }) => ({ reason, subject, session }))

test.each([['a token'], [toReplyToken('a token')]])('answers the question of the token %s', async (token) => {
  await answerToken(gate.kernel, { caller: ada, answer: { token, decision: 'accept' }, via: 'aaep' })
  expect(await close()).toEqual({
    kind: 'question-close',
    token: 'a token',
    how: 'answered',
    decision: 'accept',
    by: 'ada',
    meta: { ext: { sluice: { via: 'aaep' } } },
  })
})

test('also after a restart', async () => {
  await gate.close()
  gate = await openTestKernel({ log, startAt: gate.clock.now() + 1 })
  await answerToken(gate.kernel, {
    caller: ada,
    answer: { token: toReplyToken('a token'), decision: 'accept' },
    via: 'aaep',
  })
  expect(await close()).toMatchObject({ decision: 'accept' })
})

test.each([
  ['forged', ada, { token: 'rpl_forged', decision: 'accept' }, 'unknown_token', undefined],
  ['of no right', callerWith('eve'), { token: 'a token', decision: 'accept' }, 'forbidden', id],
  ['of a reader', callerWith('eve', 'subscribe'), { token: 'a token', decision: 'accept' }, 'forbidden', id],
  ['of another kind', ada, { token: 'a token', response: 'yes' }, 'ill_typed', id],
  ['not allowed', ada, { token: 'a token', decision: 'perhaps' }, 'ill_typed', id],
] as const)('an answer that is %s is ignored and logged', async (_, caller, answer, reason, session) => {
  await answerToken(gate.kernel, { caller, answer, via: 'aaep' })
  expect(await close()).toBeUndefined()
  expect(reasons()).toEqual([{ reason, subject: caller.subject, session }])
  expect(JSON.stringify(gate.lines)).not.toContain(answer.token)
})

test('an answer that is late, or a second one, is ignored and logged', async () => {
  await Promise.all(
    ['accept', 'reject'].map((decision) =>
      answerToken(gate.kernel, { caller: ada, answer: { token: 'a token', decision }, via: 'aaep' }),
    ),
  )
  await answerToken(gate.kernel, {
    caller: ada,
    answer: { token: 'a token', decision: 'reject' },
    via: 'aaep',
  })
  expect(await close()).toMatchObject({ decision: 'accept' })
  expect(reasons().map(({ reason }) => reason)).toEqual(['closed', 'unknown_token'])
})

test('an answer that cannot be stored is told so', async () => {
  log.fail('storage_full')
  const answer = answerToken(gate.kernel, {
    caller: ada,
    answer: { token: 'a token', decision: 'accept' },
    via: 'aaep',
  })
  await expect(answer).rejects.toMatchObject({ code: 'storage_full' })
})
