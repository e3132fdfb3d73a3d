import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type JsonObject,
  type Run,
  type RunOutput,
  SluiceError,
  type SluiceEvent,
  tableValues,
} from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import type { CliOptions } from '../../packages/agents/src/index.ts'
import { forkKey, resumeKey } from '../../packages/agents/src/request/extension-keys.ts'
import { sentinels } from '../../packages/agents/src/testing/cli-script.ts'
import { answerOf } from '../../packages/agents/src/testing/judge-run.ts'
import { until } from '../testing/until.ts'
import { pinned } from './install-cli.ts'
import { failureText } from './model-apis/model-api.ts'
import type { ModelReply } from './model-stub.ts'
import { createStage, type RealAgent, type Stage } from './real-agent.ts'

/** What differs between agents. */
export interface RealAgentFacts {
  /** The status and exit code of a command that exits with 3. */
  readonly failingTool: { readonly status: 'success' | 'error'; readonly exitCode?: number }
  /** The error of a run that the model refuses. */
  readonly refusedByModel: string
  /** The error of a run after a 429 that it does not retry; absent if it retries. */
  readonly limited?: string
  /** Whether it reports that it retries. */
  readonly tellsRetry: boolean
  /** Extensions that forbid commands to write, if the configuration does not. */
  readonly readOnly?: JsonObject
  /** Whether it asks before a tool runs. */
  readonly asks: boolean
  /** Whether it reports nothing about a refused tool. */
  readonly hidesRefused?: true
  /** The error of a run in which a tool is refused, if it does not continue after that. */
  readonly refusedTool?: string
  /** Whether it ends after a refused tool as if all were well. */
  readonly stopsWhenRefused?: true
  /** Whether it shows its thoughts. */
  readonly thinks: boolean
  /** Whether it shows what a command printed. */
  readonly showsOutput: boolean
  /** The error of a run that resumes a session that does not exist. */
  readonly unknownSession?: string
  /** Whether it reports its version. */
  readonly hasVersion: boolean
  /** Whether it loses a session that is resumed in the minute in which it began. */
  readonly losesInMinute?: true
  /** An id that it could have assigned. */
  readonly otherSession: string
}

const timeoutMs = 300_000
const prompt = `Do it: ${sentinels.prompt}`
const done: ModelReply = { say: { text: 'Done.' } }

/** Every agent passes this suite with its real program. Slow, needs a network: `npm run soak -- real-cli`. */
export function testRealAgent(name: string, real: RealAgent, facts: RealAgentFacts): void {
  let stage: Stage | undefined
  const set = async (
    script: readonly ModelReply[],
    permissions?: CliOptions['permissions'],
  ): Promise<Stage> => {
    stage = await createStage(real, script, permissions)
    return stage
  }
  afterEach(async () => {
    await stage?.remove()
    stage = undefined
  })
  const fileIn = ({ home }: Stage, file: string): boolean => existsSync(join(home.work, file))

  // Without this variable, nothing is installed.
  describe.skipIf(process.env['SLUICE_REAL_CLI'] !== '1')(name, { timeout: timeoutMs }, () => {
    test('says what the model says, once', async () => {
      const { run } = await set([{ say: { thought: 'I think of it.', text: 'Hello from the stub.' } }])
      const { state, completion } = await run('text', { prompt })
      expect(answerOf(state)).toBe('Hello from the stub.')
      expect(completion).toMatchObject({ status: { code: 0 }, finalText: 'Hello from the stub.' })
      expect(state.agent?.session).toMatch(/./)
      expect(completion).toMatchObject({ handle: state.agent?.session })
      const thoughts = tableValues(state.outputs).filter(({ channel }) => channel === 'reasoning')
      if (facts.thinks) expect(thoughts.map(({ text }) => text).join('')).toContain('I think of it.')
      expect(state.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    })

    test('tells of a tool and of what it gave', async () => {
      const command = `echo ${sentinels.output} && touch made.txt`
      const stage = await set([{ say: { text: 'I look.', calls: [real.shell(command)] } }, done], 'allow')
      const { state, completion } = await stage.run('tool', { prompt })
      const [call, ...others] = tableValues(state.calls)
      expect(others).toEqual([])
      expect(call).toMatchObject({ tool: expect.stringMatching(/./), status: 'success' })
      if (facts.showsOutput) expect(JSON.stringify(call?.result)).toContain(sentinels.output)
      expect(completion).toMatchObject({ finalText: 'Done.' })
      expect(fileIn(stage, 'made.txt')).toBe(true)
    })

    test('tells of a tool that fails, and goes on', async () => {
      const { run } = await set([{ say: { calls: [real.shell('ls /nowhere; exit 3')] } }, done], 'allow')
      const { state, completion } = await run('tool-failing', { prompt })
      expect(tableValues(state.calls)).toEqual([expect.objectContaining(facts.failingTool)])
      expect(completion).toMatchObject({ finalText: 'Done.' })
    })

    test.each(['deny', ...(facts.asks ? (['reject', 'accept', 'timeout'] as const) : [])] as const)(
      'a tool that needs permission: %s',
      async (answer) => {
        const command = `touch made.txt # ${sentinels.args}`
        const stage = await set(
          [{ say: { calls: [real.shell(command)] } }, done],
          answer === 'deny' ? 'deny' : 'ask',
        )
        const { state, completion } = await stage.run(
          `permission-${answer}`,
          { prompt, extensions: facts.readOnly ?? {} },
          answerWith(answer),
        )
        expect(fileIn(stage, 'made.txt')).toBe(answer === 'accept')
        const questions = tableValues(state.questions).map(({ opened }) => opened)
        expect(questions).toHaveLength(answer === 'deny' ? 0 : 1)
        for (const question of questions)
          expect(question).toMatchObject({ question: 'confirmation', default: 'reject' })
        const status = answer === 'accept' ? 'success' : 'error'
        const isHidden = facts.hidesRefused === true && answer === 'deny'
        expect(tableValues(state.calls).map((call) => call.status)).toEqual(isHidden ? [] : [status])
        if (answer !== 'accept' && facts.refusedTool !== undefined)
          return expectFailure(completion, facts.refusedTool)
        const isStopped = facts.stopsWhenRefused === true && answer !== 'accept'
        return expect(completion).toMatchObject({
          status: { code: 0 },
          ...(isStopped ? {} : { finalText: 'Done.' }),
        })
      },
    )

    test('a model that is asked too often, once', async () => {
      const { run } = await set([{ fail: 429 }, done])
      const { state, completion, events } = await run('retry-429', { prompt })
      const retries = events.filter((event) => event.kind === 'notice' && event.code === 'api_retry')
      expect(retries).toHaveLength(facts.tellsRetry ? 1 : 0)
      expect(JSON.stringify(events)).not.toContain(failureText)
      if (facts.limited === undefined) {
        expect(answerOf(state)).toBe('Done.')
        expect(completion).toMatchObject({ finalText: 'Done.' })
      } else expectFailure(completion, facts.limited)
    })

    test('a model that refuses the request', async () => {
      const { run } = await set(Array.from({ length: 20 }, () => ({ fail: 400 })))
      const { completion, events } = await run('error-400', { prompt })
      expectFailure(completion, facts.refusedByModel)
      expect(JSON.stringify(events)).not.toContain(failureText)
    })

    test('a model that never answers', async () => {
      const { run } = await set([{ hang: true }])
      const { completion } = await run('hang', { prompt })
      expectFailure(completion, expect.stringMatching(/: idle timeout$/))
    })

    test('a run that is cancelled while the model speaks', async () => {
      const stage = await set([{ stall: { text: 'I begin and never end this.' } }])
      const ended = stage.run(
        'cancel',
        { prompt },
        once((run) => cancelWhen(run, () => stage.model.asked.length > 0)),
      )
      expect((await ended).completion).toMatchObject({ code: 'run_cancelled' })
    })

    test('a run that is cancelled while a command runs', async () => {
      const command = 'touch begun.txt; exec tail -f /dev/null'
      const stage = await set([{ say: { text: 'I wait.', calls: [real.shell(command)] } }], 'allow')
      const ended = stage.run(
        'cancel-tool',
        { prompt },
        once((run) => cancelWhen(run, () => fileIn(stage, 'begun.txt'))),
      )
      expect((await ended).completion).toMatchObject({ code: 'run_cancelled' })
    })

    test('a session that is taken up again', async () => {
      const { run, model, agent } = await set([{ say: { text: 'Your word is lantern.' } }, done, done])
      const first = await run('resume-first', { prompt: 'The word is lantern.' })
      expect(first.completion).not.toBeInstanceOf(SluiceError)
      const id = first.state.agent?.session ?? ''
      const minute = new Date().getMinutes()
      if (facts.losesInMinute === true) await until(() => new Date().getMinutes() !== minute)
      const extensions = { [resumeKey]: { selector: 'id', id } }
      const second = await run('resume', { prompt: 'And the word?', extensions })
      expect(answerOf(second.state)).toBe('Done.')
      expect(second.state.agent?.session).toBe(id)
      expect(JSON.stringify(model.asked[1])).toContain('Your word is lantern.')
      if (!agent.capabilities.includes(forkKey)) return
      const third = await run('fork', {
        prompt: 'And now?',
        extensions: { [forkKey]: { selector: 'id', id } },
      })
      expect(answerOf(third.state)).toBe('Done.')
      expect(third.state.agent?.session).not.toBe(id)
      expect(JSON.stringify(model.asked[2])).toContain('Your word is lantern.')
    })

    test('a session that is not there', async () => {
      const { run, model } = await set([done])
      const extensions = { [resumeKey]: { selector: 'id', id: facts.otherSession } }
      const { completion } = await run('resume-unknown', { prompt, extensions })
      expectFailure(completion, facts.unknownSession ?? 'session not found')
      expect(model.asked).toEqual([])
    })

    test('a look at what is installed', async () => {
      const { agent } = await set([])
      const { version } = pinned(real.cli)
      expect(await agent.look()).toMatchObject({
        isInstalled: true,
        ...(facts.hasVersion ? { version } : {}),
      })
    })
  })
}

function expectFailure(completion: unknown, message: unknown): void {
  // Matchers for objects do not show the message of an error.
  const told = completion instanceof SluiceError ? [completion.code, completion.message] : completion
  expect(told).toEqual(['run_failed', message])
}

/** Answers every question in this way, as a gateway does. */
function answerWith(answer: 'deny' | 'reject' | 'accept' | 'timeout') {
  return (output: RunOutput, run: Run): void => {
    for (const event of eventsOf(output)) {
      if (event.kind !== 'question-open') continue
      const { token } = event
      if (answer === 'timeout') run.answer({ token, how: 'timeout' })
      else run.answer({ token, how: 'answered', decision: answer })
    }
  }
}

function eventsOf(output: RunOutput): readonly SluiceEvent[] {
  return output.type === 'events' ? output.events : []
}

function once(act: (run: Run) => void): (output: RunOutput, run: Run) => void {
  let isDone = false
  return (_, run) => {
    if (!isDone) act(run)
    isDone = true
  }
}

function cancelWhen(run: Run, holds: () => boolean): void {
  void until(holds).then(() => run.cancel())
}
