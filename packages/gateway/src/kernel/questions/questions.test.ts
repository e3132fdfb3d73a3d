import { createMemoryLog } from '@sluice/log'
import { afterEach, describe, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { callerWith, openTestKernel, type TestKernel } from '../../testing/open-test-kernel.ts'
import { aaepConfirmation, aaepEvent, published } from '../../testing/sample-lines.ts'
import { until } from '../../testing/until.ts'
import { sendAnswer } from '../sessions/send-input.ts'

const id = 'sess_asked'
const day = 86_400_000
const ada = callerWith('ada', 'answer', 'subscribe')
const open: TestKernel[] = []

const openGate = async (options: Parameters<typeof openTestKernel>[0] = {}): Promise<TestKernel> => {
  const opened = await openTestKernel(options)
  open.push(opened)
  return opened
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A second gateway on the log of the first, `ms` later. */
const restart = async (first: TestKernel, ms: number): Promise<TestKernel> => {
  await first.close()
  return openGate({ log: first.log, startAt: first.clock.now() + ms })
}
const closes = async (gate: TestKernel) =>
  (await gate.events(id)).filter((event) => event.kind === 'question-close')
const notices = async (gate: TestKernel) =>
  (await gate.events(id)).flatMap((event) => (event.kind === 'progress' ? [event.text] : []))
const answer = async (gate: TestKernel, token: string, decision: string) => {
  const session = await gate.kernel.directory.open(id)
  await sendAnswer(gate.kernel, session, { caller: ada, answer: { token, decision }, via: 'http' })
}

describe('at its timeout a question is closed', () => {
  test.each([
    ['confirmation', { default: 'accept' }, { decision: 'accept' }],
    ['authorization', { default: 'reject' }, { decision: 'reject' }],
    ['clarification', { default: 'Paris' }, { response: 'Paris' }],
    ['confirmation', {}, {}],
    ['confirmation', { default: 'accept', irreversible: true }, { decision: 'reject' }],
    ['confirmation', { default: 'accept', irreversible: true, risk: 'low' }, { decision: 'accept' }],
  ] as const)('with its default: %s %j', async (question, more, outcome) => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000, question, ...more })
    gate.clock.advance(9_999)
    expect(gate.kernel.questions.openCount).toBe(1)
    gate.clock.advance(1)
    await gate.has(id, 2)
    expect((await gate.entries(id))[1]).toMatchObject({ direction: 'system', clean: true })
    expect(await closes(gate)).toEqual([{ kind: 'question-close', token: 't', how: 'timeout', ...outcome }])
    expect(gate.kernel.questions.openCount).toBe(0)
    expect(await gate.log.marks('question/')).toEqual([])
  })

  test('unless somebody answered before', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000 })
    await answer(gate, 't', 'accept')
    gate.clock.advance(day)
    await answer(gate, 't', 'reject')
    expect(await closes(gate)).toMatchObject([{ how: 'answered', decision: 'accept', by: 'ada' }])
  })

  test('also when the answer comes at that very moment', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000, default: 'reject' })
    const session = await gate.kernel.directory.open(id)
    // The writer is handling the answer when the time passes.
    await session.write(async () => {
      gate.clock.advance(10_000)
      await answer(gate, 't', 'accept')
    })
    await gate.has(id, 2)
    expect(await closes(gate)).toMatchObject([{ how: 'timeout', decision: 'reject' }])
  })

  test('by a timer that is longer than a timer of Node can be', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 40 * day, default: 'reject' })
    gate.clock.advance(40 * day - 1)
    expect(await closes(gate)).toEqual([])
    gate.clock.advance(1)
    await until(async () => (await closes(gate)).length === 1)
  })

  test('as cancelled when its session ends first', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000 })
    await gate.publish(id, [published({ kind: 'session-end', outcome: 'cancelled' })])
    expect(gate.kernel.questions.openCount).toBe(0)
    gate.clock.advance(day)
    expect(await closes(gate)).toMatchObject([{ how: 'cancelled' }])
  })

  test('only while the gateway runs', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000 })
    gate.kernel.questions.stop()
    gate.clock.advance(20_000)
    expect(await closes(gate)).toEqual([])
    await gate.kernel.questions.start()
    await gate.has(id, 2)
    expect(await closes(gate)).toHaveLength(1)
  })

  test('not at all once its session is deleted', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 10_000 })
    await gate.kernel.directory.delete(id)
    expect(gate.kernel.questions.openCount).toBe(0)
    gate.clock.advance(10_000)
    expect(gate.lines).toEqual([])
  })

  test('later, when the log does not take it', async () => {
    const log = createFaultyLog(createMemoryLog())
    const gate = await openGate({ log })
    await gate.ask(id, { token: 't', timeoutMs: 10_000 })
    log.fail('storage_full')
    gate.clock.advance(10_000)
    await until(() => gate.lines.length === 1)
    expect(gate.lines).toMatchObject([{ level: 'error', session: id }])
    log.fail(undefined)
    gate.clock.advance(5_000)
    await gate.has(id, 2)
    expect(await closes(gate)).toHaveLength(1)
  })
})

describe('an agent that keeps the time itself', () => {
  test('has 30 s of silence past its deadline, in which no answer counts', async () => {
    const gate = await openGate()
    await gate.publish(
      id,
      [aaepEvent({ session: id, name: 'session.started', id: 's' }, { summary_normal: 'Go.' })],
      'aaep',
    )
    await gate.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], 'aaep')
    gate.clock.advance(60_000)
    await answer(gate, 'rpl_1', 'accept')
    expect(gate.lines).toMatchObject([{ reason: 'expired', subject: 'ada', session: id, transport: 'http' }])
    gate.clock.advance(29_999)
    expect(await closes(gate)).toEqual([])
    gate.clock.advance(1)
    await gate.has(id, 3)
    expect(await closes(gate)).toMatchObject([{ how: 'timeout', decision: 'reject' }])
    expect(await notices(gate)).toEqual([])
  })
})

describe('a question with more than a minute', () => {
  test('is counted down at half and at a tenth of its time', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 180_000 })
    gate.clock.advance(89_999)
    expect(await notices(gate)).toEqual([])
    gate.clock.advance(1)
    await gate.has(id, 2)
    gate.clock.advance(72_000)
    await gate.has(id, 3)
    const entries = (await gate.entries(id)).slice(1)
    expect(entries.map(({ direction, events }) => ({ direction, events }))).toEqual(
      [90_000, 18_000].map((leftMs) => ({
        direction: 'system',
        events: [
          {
            kind: 'progress',
            text: `${leftMs / 1000} seconds left to answer.`,
            etaMs: leftMs,
            meta: { urgency: 'normal', ext: { sluice: { countdown: 't', leftMs } } },
          },
        ],
      })),
    )
    gate.clock.advance(18_000)
    await gate.has(id, 4)
    expect(await gate.log.marks('countdown/')).toEqual([])
  })

  test.each([
    [600_000, ['5 minutes left to answer.', '60 seconds left to answer.']],
    [day, ['12 hours left to answer.', '2 hours left to answer.']],
  ])('says so in units of its length: %i ms', async (timeoutMs, texts) => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs })
    gate.clock.advance(timeoutMs / 2)
    await gate.has(id, 2)
    gate.clock.advance(timeoutMs / 2 - 1)
    await gate.has(id, 3)
    expect(await notices(gate)).toEqual(texts)
  })

  test('is not told twice after a restart, and once of what was missed', async () => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs: 1_000_000 })
    first.clock.advance(500_000)
    await first.has(id, 2)
    const second = await restart(first, 100_000)
    second.clock.advance(100_000)
    expect(await notices(second)).toEqual(['8 minutes left to answer.'])
    const third = await restart(second, 250_000)
    await third.has(id, 3)
    third.clock.advance(1_000)
    expect(await notices(third)).toEqual(['8 minutes left to answer.', '50 seconds left to answer.'])
  })

  test('that is answered is counted down no more', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 180_000 })
    await answer(gate, 't', 'accept')
    gate.clock.advance(180_000)
    expect(await notices(gate)).toEqual([])
    expect(gate.kernel.questions.openCount).toBe(0)
  })
})

describe('after a restart', () => {
  test('a question whose time is over waits 30 s for those who come back', async () => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs: 10_000, default: 'reject' })
    const second = await restart(first, day)
    expect(second.kernel.questions.openCount).toBe(1)
    second.clock.advance(29_999)
    expect(await closes(second)).toEqual([])
    second.clock.advance(1)
    await second.has(id, 2)
    expect(await closes(second)).toMatchObject([{ how: 'timeout', decision: 'reject' }])
  })

  test('it can be answered in that time', async () => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs: 10_000 })
    const second = await restart(first, day)
    second.clock.advance(29_999)
    await answer(second, 't', 'accept')
    expect(await closes(second)).toMatchObject([{ how: 'answered', decision: 'accept' }])
  })

  test('one that is asked while the gateway runs has its own time and no more', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 't', timeoutMs: 1_000, default: 'reject' })
    gate.clock.advance(1_000)
    await gate.has(id, 2)
    expect(await closes(gate)).toHaveLength(1)
  })
})

describe('a question without a timeout', () => {
  test('is asked again every day, under tokens that lead to the first one', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 'mine', default: 'accept', meta: { id: 'e1', at: '2026-01-01T00:00:00Z' } })
    gate.clock.advance(day)
    await gate.has(id, 2)
    gate.clock.advance(day)
    await gate.has(id, 3)
    const again = (await gate.entries(id)).slice(1).map(({ events }) => events)
    const [second, third] = again.map((events) =>
      events[1]?.kind === 'question-open' ? events[1] : undefined,
    )
    expect(second).toEqual({
      kind: 'question-open',
      question: 'confirmation',
      text: 'Really?',
      default: 'accept',
      token: expect.stringMatching(/^rpl_[0-9a-f]{32}$/),
      meta: { ext: { sluice: { again: 'mine' } } },
    })
    expect(third).toMatchObject({ meta: { ext: { sluice: { again: 'mine' } } } })
    expect(new Set(['mine', second?.token, third?.token]).size).toBe(3)
    for (const events of again) expect(events[0]).toMatchObject({ kind: 'question-close', how: 'timeout' })
    expect(again[0]?.[0]).not.toHaveProperty('decision')
    await answer(gate, 'mine', 'accept')
    await answer(gate, second?.token ?? '', 'accept')
    expect(gate.lines.map(({ reason }) => reason)).toEqual(['closed', 'closed'])
    await answer(gate, third?.token ?? '', 'reject')
    expect((await closes(gate)).at(-1)).toMatchObject({
      how: 'answered',
      token: third?.token,
      meta: { ext: { sluice: { via: 'http', token: 'mine' } } },
    })
  })

  test('is closed by its agent under the first token', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 'mine' })
    gate.clock.advance(day)
    await gate.has(id, 2)
    await gate.publish(id, [published({ kind: 'question-close', token: 'mine', how: 'cancelled' })])
    expect(gate.kernel.questions.openCount).toBe(0)
    expect((await closes(gate)).map(({ how }) => how)).toEqual(['timeout', 'cancelled'])
  })
})

describe('a client that leaves', () => {
  test('rejects what is rejected by default, and nothing else', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 'a', default: 'reject', timeoutMs: 10_000 })
    await gate.ask(id, { token: 'b', default: 'accept', timeoutMs: 10_000 })
    await gate.ask(id, { token: 'c', timeoutMs: 10_000 })
    await gate.ask(id, { token: 'd', question: 'clarification', default: 'reject', timeoutMs: 10_000 })
    await gate.ask(id, { token: 'e', default: 'accept', irreversible: true })
    await gate.publish(id, [aaepConfirmation(id, 'q', 'rpl_1')], 'aaep')
    await gate.kernel.questions.answerers.enrol({ reaches: () => true }).leave(ada)
    expect(await closes(gate)).toMatchObject([
      { token: 'a', how: 'timeout', decision: 'reject' },
      { token: 'e', how: 'timeout', decision: 'reject' },
    ])
    expect(gate.kernel.questions.openCount).toBe(4)
  })

  test('rejects nothing while somebody is left who can answer', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 'a', default: 'reject' })
    const { answerers } = gate.kernel.questions
    const braille = answerers.enrol({ reaches: (session) => session.id === id })
    const speech = answerers.enrol({ reaches: () => true })
    answerers.enrol({ reaches: (session) => session.id === 'sess_other' })
    await answerers.enrol({ reaches: () => true }).leave(ada)
    await speech.leave(ada)
    expect(await closes(gate)).toEqual([])
    await braille.leave(ada)
    expect(await closes(gate)).toMatchObject([{ token: 'a', decision: 'reject' }])
    await gate.ask(id, { token: 'b', default: 'reject' })
    await braille.leave(ada)
    expect(await closes(gate)).toHaveLength(1)
  })

  test('and is only forgotten rejects nothing', async () => {
    const gate = await openGate()
    await gate.ask(id, { token: 'a', default: 'reject' })
    gate.kernel.questions.answerers.enrol({ reaches: () => true }).drop()
    expect(await closes(gate)).toEqual([])
  })
})

describe.each([-day, day])('a gateway that restarts after its clock was set by %i ms', (step) => {
  test.each([
    ['4 s', 4_000, 30_000],
    ['an hour', 3_600_000, step > 0 ? 30_000 : 3_600_000],
  ])('closes a question of %s within that, and not before clients could return', async (_, timeoutMs, ms) => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs, default: 'reject' })
    first.clock.advance(1_000)
    const gate = await restart(first, step)
    gate.clock.advance(ms - 1)
    await new Promise((run) => setImmediate(run))
    expect(gate.kernel.questions.openCount).toBe(1)
    gate.clock.advance(1)
    await until(async () => (await closes(gate)).length === 1)
    expect(await closes(gate)).toMatchObject([{ how: 'timeout', decision: 'reject' }])
  })

  test('writes entries whose times never decrease', async () => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs: 4_000 })
    const gate = await restart(first, step)
    await gate.ask(id, { token: 'u', timeoutMs: 4_000 })
    gate.clock.advance(60_000)
    await until(async () => (await closes(gate)).length === 2)
    const times = (await gate.entries(id)).map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('still refuses the tokens of questions of the last day', async () => {
    const first = await openGate()
    await first.ask(id, { token: 't', timeoutMs: 4_000 })
    await answer(first, 't', 'accept')
    const gate = await restart(first, Math.min(step, 0))
    expect(gate.kernel.questions.tokens.isTaken('t', 'sess_other')).toBe(true)
    gate.clock.advance(day)
    expect(gate.kernel.questions.tokens.isTaken('t', 'sess_other')).toBe(false)
  })
})
