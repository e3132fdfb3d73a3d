import { createMemoryLog } from '@sluice/log'
import { expect, test } from 'vitest'
import { openTestKernel } from '../../testing/open-test-kernel.ts'
import { published } from '../../testing/sample-lines.ts'
import { readJson, startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'
import { createQuestionQuota } from './question-quota.ts'

const question = (token: string): string =>
  published({ kind: 'question-open', question: 'confirmation', token, text: 'Really?' })
const close = (token: string): string => published({ kind: 'question-close', token, how: 'cancelled' })

test('createQuestionQuota() counts in all and per subject', () => {
  const quota = createQuestionQuota({ openQuestions: 5, openQuestionsPerSubject: 3 })
  const leave = quota.enter('ada', 2)
  expect([quota.room('ada'), quota.room('bob'), quota.room(undefined)]).toEqual([1, 3, 3])
  quota.enter(undefined, 2)
  expect([quota.room('ada'), quota.room('bob'), quota.room(undefined)]).toEqual([1, 1, 1])
  leave()
  leave()
  expect([quota.room('ada'), quota.room('bob'), quota.room(undefined)]).toEqual([3, 3, 1])
})

test('questions above the limit of a subject are refused, also after a restart, and others may ask', async () => {
  const log = createMemoryLog()
  const limits = { openQuestionsPerSubject: 3, openQuestions: 5 }
  const options = { log, limits, guests: { ada: ['publish:own'], bob: ['publish:own'] } }
  let gateway = await startGateway(options)
  const ask = async (guest: string, session: string, ...lines: readonly string[]) => {
    const response = await gateway.request(`/v1/sessions/${session}/events`, {
      method: 'POST',
      headers: { ...gateway.as(guest), 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => `${line}\n`).join(''),
    })
    const { accepted, refused } = await readJson(response)
    return [accepted, (refused as readonly { code: string }[]).map(({ code }) => code)]
  }
  const no = 'too_many_questions'
  expect(await ask('ada', 'sess_a', question('1'), question('2'))).toEqual([2, []])
  expect(await ask('ada', 'sess_b', question('3'), question('4'), close('3'))).toEqual([2, [no]])
  expect(await ask('ada', 'sess_a', question('5'), question('6'))).toEqual([1, [no]])
  expect(await ask('bob', 'sess_c', question('7'), question('8'), question('9'))).toEqual([2, [no]])
  await gateway.close()
  gateway = await startGateway({ ...options, clock: gateway.clock })
  // The keys of the guests are new, their subjects are not.
  expect(await ask('ada', 'sess_a', question('a'))).toEqual([0, [no]])
  expect(await ask('bob', 'sess_c', close('7'), question('b'))).toEqual([1, [no]])
  expect(await ask('bob', 'sess_c', question('b'))).toEqual([1, []])
  await gateway.close()
})

test('questions that are due together after a restart are all closed', async () => {
  const log = createMemoryLog()
  const first = await openTestKernel({ log })
  const ids = Array.from({ length: 200 }, (_, index) => `sess_${index}`)
  for (const id of ids) await first.ask(id, { token: id, timeoutMs: 1000 })
  await first.close()
  const second = await openTestKernel({ log, startAt: first.clock.now() + 1 })
  second.clock.advance(60_000)
  await until(async () => second.kernel.questions.openCount === 0)
  for (const id of ids) expect((await second.events(id)).at(-1)).toMatchObject({ how: 'timeout' })
  await second.close()
})
