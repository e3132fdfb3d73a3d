import { createSessionState } from '@sluice/protocol'
import { dialectById, toReplyToken } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callerWith, openTestKernel, type TestKernel } from '../../testing/open-test-kernel.ts'
import { aaepConfirmation, aaepEvent, published } from '../../testing/sample-lines.ts'
import { sendAnswer } from '../sessions/send-input.ts'
import { createQuestionTokens, mintToken } from './question-tokens.ts'

const day = 86_400_000
const minted = expect.stringMatching(/^rpl_[0-9a-f]{32}$/)
const ada = callerWith('ada', 'answer', 'subscribe')
let gate: TestKernel
beforeEach(async () => {
  gate = await openTestKernel()
})
afterEach(() => gate.close())

const questionsOf = async (session: string) =>
  (await gate.events(session)).filter((event) => event.kind === 'question-open')
const tokensOf = async (session: string) => (await questionsOf(session)).map(({ token }) => token)
const close = (session: string, token: string) =>
  gate.publish(session, [published({ kind: 'question-close', token, how: 'cancelled' })])

describe('a token that another session has', () => {
  test('is replaced while its question is open, however long, and for a day after', async () => {
    await gate.ask('sess_a', { token: 't', timeoutMs: 10 * day })
    gate.clock.advance(3 * day)
    await gate.ask('sess_b', { token: 't' })
    expect(await tokensOf('sess_b')).toEqual([minted])
    await close('sess_a', 't')
    gate.clock.advance(day - 1)
    await gate.ask('sess_c', { token: 't' })
    expect(await tokensOf('sess_c')).toEqual([minted])
    gate.clock.advance(1)
    await gate.ask('sess_d', { token: 't' })
    expect(await tokensOf('sess_d')).toEqual(['t'])
  })

  test('is known in its spelling of AAEP', async () => {
    const wire = toReplyToken('a b')
    await gate.ask('sess_a', { token: 'a b' })
    await gate.ask('sess_b', { token: wire })
    expect(await tokensOf('sess_b')).toEqual([minted])
    expect(gate.kernel.questions.find(wire)).toEqual({ session: 'sess_a', token: 'a b' })
  })

  test('is known after a restart, open or used', async () => {
    await gate.ask('sess_a', { token: 't' })
    await gate.ask('sess_a', { token: 'u' })
    await close('sess_a', 'u')
    await gate.close()
    gate = await openTestKernel({ log: gate.log, startAt: gate.clock.now() + day / 2 })
    await gate.ask('sess_b', { token: 't' })
    await gate.ask('sess_b', { token: 'u' })
    expect(await tokensOf('sess_b')).toEqual([minted, minted])
    gate.clock.advance(day / 2)
    await gate.ask('sess_c', { token: 'u' })
    expect(await tokensOf('sess_c')).toEqual(['u'])
  })

  test('that two ask at once is the token of one of them', async () => {
    await Promise.all(['sess_a', 'sess_b'].map((session) => gate.ask(session, { token: 't' })))
    const tokens = [...(await tokensOf('sess_a')), ...(await tokensOf('sess_b'))]
    expect(tokens).toHaveLength(2)
    expect(tokens).toContain('t')
    expect(tokens).toContainEqual(minted)
  })
})

describe('a question under a minted token', () => {
  beforeEach(async () => {
    await gate.ask('sess_a', { token: 't' })
    await gate.ask('sess_b', { token: 't', meta: { urgency: 'critical', ext: { sluice: { own: 1 } } } })
  })
  const token = async () => (await tokensOf('sess_b'))[0] ?? ''

  test('keeps the token of its agent beside it, and is not handed on as it came', async () => {
    expect((await questionsOf('sess_b'))[0]?.meta).toEqual({
      urgency: 'critical',
      ext: { sluice: { own: 1, token: 't' } },
    })
    expect((await gate.entries('sess_b'))[0]?.clean).toBe(false)
  })

  test('is closed by its agent under its own token', async () => {
    await close('sess_b', 't')
    expect((await gate.events('sess_b')).at(-1)).toMatchObject({
      kind: 'question-close',
      token: await token(),
    })
    expect(gate.kernel.questions.find('t')?.session).toBe('sess_a')
    expect(gate.kernel.questions.openCount).toBe(1)
  })

  test('is not asked twice when its agent asks again', async () => {
    await gate.ask('sess_b', { token: 't' })
    await close('sess_b', 't')
    await gate.ask('sess_b', { token: 't' })
    expect(await tokensOf('sess_b')).toHaveLength(1)
  })

  test('is opened and closed within one frame', async () => {
    await gate.publish('sess_c', [
      published(
        { kind: 'question-open', question: 'confirmation', token: 't', text: 'Now?' },
        { kind: 'question-close', token: 't', how: 'cancelled' },
      ),
    ])
    expect(await gate.events('sess_c')).toMatchObject([
      { kind: 'session-start' },
      { kind: 'question-open', token: minted },
      { kind: 'question-close', token: minted },
    ])
  })

  test.each([
    ['that token', token],
    ['the token of its agent', async () => 't'],
  ])('is answered within its session under %s, and its agent gets its own', async (_, tokenOf) => {
    const session = await gate.kernel.directory.open('sess_b')
    const answer = { token: await tokenOf(), decision: 'accept' }
    expect(await sendAnswer(gate.kernel, session, { caller: ada, answer, via: 'ws' })).toBe(true)
    expect(
      await sendAnswer(gate.kernel, session, {
        caller: ada,
        answer: { ...answer, decision: 'reject' },
        via: 'ws',
      }),
    ).toBe(false)
    expect(gate.lines).toMatchObject([{ reason: 'closed', session: 'sess_b', transport: 'ws' }])
    expect((await gate.events('sess_b')).at(-1)?.meta).toEqual({ ext: { sluice: { via: 'ws', token: 't' } } })
  })
})

test('an AAEP stream with a taken token goes out with another one, and is valid', async () => {
  const aaep = dialectById('aaep')
  for (const session of ['sess_a', 'sess_b']) {
    await gate.publish(
      session,
      [
        aaepEvent({ session, name: 'session.started', id: 's' }, { summary_normal: 'Go.' }),
        aaepConfirmation(session, 'q', 'rpl_1'),
      ],
      'aaep',
    )
  }
  let { state } = aaep.encode.enter(createSessionState({ id: 'sess_b' }), { seq: -1 })
  const frames = (await gate.entries('sess_b')).flatMap((entry) => {
    const encoded = aaep.encode.step(state, entry)
    state = encoded.state
    return encoded.frames.map(({ data }) => JSON.parse(data))
  })
  expect(frames.flatMap((frame) => aaep.validate(frame))).toEqual([])
  expect(frames[1]).toMatchObject({ type: 'aaep:agent.awaiting.confirmation', reply_token: minted })
})

test('mintToken() derives from the origin, and avoids what is taken', () => {
  const first = mintToken(['sess_a', 4, 0], () => false)
  expect(first).toMatch(/^rpl_[0-9a-f]{32}$/)
  expect(mintToken(['sess_a', 4, 0], () => false)).toBe(first)
  const others = [
    mintToken(['sess_a', 5, 0], () => false),
    mintToken(['sess_a', 4, 1], () => false),
    mintToken(['sess_b', 4, 0], () => false),
    mintToken(['sess_a', 4, 0], (token) => token === first),
  ]
  expect(new Set([first, ...others]).size).toBe(5)
})

test('createQuestionTokens() takes every token of an agent for taken when it has too many to remember', () => {
  const clock = createDrivenClock()
  const tokens = createQuestionTokens(clock, 2)
  for (const token of ['t', 'u', 'v']) tokens.take(token, 'sess_a')
  const isTaken = (token: string) => tokens.isTaken(token, 'sess_b')
  expect(['t', 'u', 'v', 'w'].map(isTaken)).toEqual([true, true, true, true])
  expect(tokens.isTaken('t', 'sess_a')).toBe(false)
  expect(isTaken(mintToken(['sess_b', 'w'], isTaken))).toBe(false)
  clock.advance(day)
  tokens.take('x', 'sess_a')
  expect(['w', 'x'].map(isTaken)).toEqual([false, true])
})

test('createQuestionTokens() forgets a token a day after its last use', () => {
  const clock = createDrivenClock()
  const tokens = createQuestionTokens(clock)
  tokens.take('t', 'sess_a')
  clock.advance(day / 2)
  tokens.take('t', 'sess_a')
  clock.advance(day / 2)
  expect([tokens.isTaken('t', 'sess_b'), tokens.isTaken('t', 'sess_a')]).toEqual([true, false])
  clock.advance(day / 2)
  expect(tokens.isTaken('t', 'sess_b')).toBe(false)
})
