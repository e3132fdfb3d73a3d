import { afterEach, describe, expect, test } from 'vitest'
import { sendAnswer, sendCancel, sendMessage } from '../../kernel/sessions/send-input.ts'
import { callerWith } from '../../testing/open-test-kernel.ts'
import { ada, begin, createTestRuns, eventsToEnd, textIn } from '../../testing/open-test-runs.ts'
import { createScriptedAgent, hosted, piece, type Script } from '../../testing/scripted-agent.ts'
import { until } from '../../testing/until.ts'

const { open, openScript, close } = createTestRuns()
afterEach(close)

describe('what people send', () => {
  test('reaches the run: an answer under the token of the agent, also where people see another', async () => {
    const asking: Script = async ({ say, answer }) => {
      say({ kind: 'question-open', question: 'confirmation', token: 'tok', text: 'Really?' })
      const { decision, token, how } = await answer()
      say(piece(`${token} ${how} ${decision}`))
      return undefined
    }
    const opened = await openScript(asking, { concurrency: 2 })
    const sessions = [await begin(opened, { prompt: 'a' }), await begin(opened, { prompt: 'b' })]
    const seen: string[] = []
    for (const session of sessions) {
      await opened.has(session.id, 2)
      const [open] = (await opened.events(session.id)).filter(({ kind }) => kind === 'question-open')
      if (open?.kind !== 'question-open') throw new Error('it asks')
      seen.push(open.token)
      await sendAnswer(opened.kernel, session, {
        caller: ada,
        answer: { token: open.token, decision: 'accept' },
        via: 'http',
      })
      expect(textIn(await eventsToEnd(opened, session.id))).toBe('tok answered accept')
    }
    expect(new Set(seen).size).toBe(2)
  })

  test('includes what time decides', async () => {
    const opened = await openScript(async ({ say, answer }) => {
      say({
        kind: 'question-open',
        question: 'confirmation',
        token: 'tok',
        text: 'Really?',
        timeoutMs: 1000,
        default: 'reject',
      })
      const { decision, how } = await answer()
      say(piece(`${how} ${decision}`))
      return undefined
    })
    const { id } = await begin(opened, { prompt: 'a' })
    await opened.has(id, 2)
    opened.clock.advance(1000)
    expect(textIn(await eventsToEnd(opened, id))).toBe('timeout reject')
  })

  test('cancels the run, and says who did; the first one counts', async () => {
    const opened = await openScript(async ({ say, untilCancelled }) => {
      say(piece('working'))
      await untilCancelled()
      return undefined
    })
    const session = await begin(opened, { prompt: 'a' })
    await opened.has(session.id, 2)
    await sendCancel(session, callerWith('bob', 'answer'), 'enough')
    await sendCancel(session, ada, undefined).catch(() => {})
    expect((await eventsToEnd(opened, session.id)).at(-1)).toMatchObject({ outcome: 'cancelled', by: 'bob' })
  })

  test('is a message that the agent takes, or a notice that it takes none', async () => {
    const opened = await open({
      deaf: hosted(
        createScriptedAgent(async ({ untilCancelled }) => {
          await untilCancelled()
          return undefined
        }),
      ),
      one: hosted(
        createScriptedAgent(async ({ say, hear, untilCancelled }) => {
          hear((text) => say(piece(`I heard ${text}`)))
          say({ kind: 'state-change', to: 'thinking' })
          await untilCancelled()
          return undefined
        }),
      ),
    })
    const listening = await begin(opened, { prompt: 'a' })
    await opened.has(listening.id, 2)
    await sendMessage(listening, ada, { id: 'm1', parts: [{ type: 'text', text: 'you' }] })
    await opened.has(listening.id, 4)
    expect(textIn(await opened.events(listening.id))).toBe('I heard you')
    await sendMessage(listening, ada, { id: 'm2', parts: [{ type: 'data', data: 1 }] })
    await opened.has(listening.id, 6)
    const deaf = await begin(opened, { prompt: 'a' }, { agent: 'deaf' })
    await sendMessage(deaf, ada, { id: 'm3', parts: [{ type: 'text', text: 'you' }] })
    await opened.has(deaf.id, 3)
    for (const { id } of [listening, deaf])
      expect((await opened.events(id)).at(-1)).toMatchObject({ kind: 'notice', code: 'message_not_taken' })
  })

  test.each(['end', 'delete'])('ends the run with its session: %s', async (how) => {
    let wasCancelled = false
    const opened = await openScript(async ({ untilCancelled }) => {
      await untilCancelled()
      wasCancelled = true
      return undefined
    })
    const session = await begin(opened, { prompt: 'a' })
    if (how === 'delete') await opened.kernel.directory.delete(session.id)
    else
      await session.write((writer) =>
        writer.make(() => [{ kind: 'session-end', outcome: 'rejected' }], {
          direction: 'system',
          source: { dialect: 'sluice' },
        }),
      )
    await until(() => wasCancelled)
    await until(async () => (await opened.log.marks('run/')).length === 0)
    expect(opened.runs.count()).toEqual({ active: 0, queued: 0 })
    if (how === 'end') expect((await opened.events(session.id)).at(-1)).toMatchObject({ outcome: 'rejected' })
  })
})
