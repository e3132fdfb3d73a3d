import {
  createSessionState,
  foldEntry,
  omitUndefined,
  type SessionState,
  tableValues,
} from '@sluice/protocol'
import { toReplyToken } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callerWith, openTestKernel, type TestKernel } from '../../testing/open-test-kernel.ts'
import { runs } from '../../testing/runs.ts'
import { published } from '../../testing/sample-lines.ts'
import { inputsEncoder } from '../sessions/inputs.ts'
import { answerToken } from './answer-token.ts'
import { agentTokenOf } from './question-notes.ts'

const ada = callerWith('ada', 'answer', 'subscribe')
const sessions = ['sess_a', 'sess_b', 'sess_c']
const anySession = fc.constantFrom(...sessions)
const anyToken = fc.constantFrom('t1', 't2', 'rpl_3')
const anyWait = fc.constantFrom(1, 4_000, 29_999, 30_000, 50_000, 90_000, 86_400_000)

const anyStep = fc.oneof(
  fc.record({
    do: fc.constant('ask' as const),
    session: anySession,
    token: anyToken,
    timeoutMs: fc.constantFrom(undefined, 5_000, 100_000),
    default: fc.constantFrom(undefined, 'accept', 'reject'),
  }),
  // All who see a question answer at the same time.
  fc.record({
    do: fc.constant('answer' as const),
    decisions: fc.array(fc.constantFrom('accept', 'reject', 'odd')),
  }),
  fc.record({ do: fc.constant('close' as const), session: anySession, token: anyToken }),
  fc.record({ do: fc.constant('wait' as const), ms: anyWait }),
  fc.record({ do: fc.constant('restart' as const), ms: anyWait }),
)

/** The state of a session according to the log alone. */
async function stateOf(gate: TestKernel, id: string): Promise<SessionState> {
  return (await gate.entries(id)).reduce(
    (state, entry) => foldEntry(state, entry),
    createSessionState({ id }),
  )
}

/** Waits until everything has happened that needs no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function assertSound(gate: TestKernel): Promise<void> {
  const open: string[] = []
  for (const id of sessions) {
    const questions = tableValues((await stateOf(gate, id)).questions)
    for (const { opened, closed } of questions) {
      if (closed !== undefined) continue
      open.push(toReplyToken(opened.token))
      expect(gate.kernel.questions.find(opened.token)).toEqual({ session: id, token: opened.token })
    }
    const told = (await gate.entries(id))
      .flatMap((entry) => inputsEncoder.step(undefined, entry).frames)
      .map(({ data }) => JSON.parse(data).token)
    // An agent receives at most one answer to each of its questions, and no other answers.
    expect(new Set(told).size).toBe(told.length)
    expect(questions.map(({ opened }) => agentTokenOf(opened))).toEqual(expect.arrayContaining(told))
  }
  expect(new Set(open).size).toBe(open.length)
  expect(gate.kernel.questions.openCount).toBe(open.length)
  const marks = (await gate.log.marks('question/')).map(({ name }) =>
    toReplyToken(name.slice('question/'.length)),
  )
  expect(marks.toSorted()).toEqual(open.toSorted())
}

test('whatever happens, index, marks and log agree, and nothing is decided twice or too late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      let gate = await openTestKernel()
      for (const step of steps) {
        switch (step.do) {
          case 'ask': {
            const { session, token, timeoutMs, default: byDefault } = step
            const asked = omitUndefined({ token, timeoutMs })
            await gate.ask(session, byDefault === undefined ? asked : { ...asked, default: byDefault })
            break
          }
          case 'answer': {
            const states = await Promise.all(sessions.map((id) => stateOf(gate, id)))
            const tokens = states.flatMap(({ questions }) =>
              tableValues(questions).map(({ opened }) => opened.token),
            )
            const { kernel: parts } = gate
            await Promise.all(
              tokens.flatMap((token) =>
                step.decisions.map((decision) =>
                  answerToken(parts, { caller: ada, answer: { token, decision }, via: 'aaep' }),
                ),
              ),
            )
            break
          }
          case 'close':
            await gate.publish(step.session, [
              published({ kind: 'question-close', token: step.token, how: 'cancelled' }),
            ])
            break
          case 'wait':
            gate.clock.advance(step.ms)
            break
          case 'restart':
            await gate.close()
            gate = await openTestKernel({ log: gate.log, startAt: gate.clock.now() + step.ms })
            break
        }
        await settled()
        await assertSound(gate)
      }
      // Time alone ends every question that has a timeout, and none of them is asked again.
      gate.clock.advance(86_400_000 - 1)
      await settled()
      for (const id of sessions)
        for (const { opened, closed } of tableValues((await stateOf(gate, id)).questions))
          expect(closed === undefined && opened.timeoutMs !== undefined).toBe(false)
      await gate.close()
    }),
    { numRuns: runs(30) },
  )
})
