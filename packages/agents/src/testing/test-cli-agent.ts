import type { Run, RunOutput, RunRequest, SessionState, SluiceEvent } from '@sluice/protocol'
import { omitUndefined, tableValues } from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import type { CliAgent, CliOptions } from '../cli/cli-agent.ts'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import type { CliTimings } from '../cli/timings.ts'
import { type CliScript, print, type ScriptedTool, sentinels } from './cli-script.ts'
import { createFakeProgram, type FakeProgram, type FakeStep } from './fake-program.ts'
import { answerIn, answerOf, judgeRun } from './judge-run.ts'
import { type PlayedRun, playRun } from './play-run.ts'

/** One agent, and what its program prints. */
export interface CliAgentSpec<S> {
  readonly agent: CliAgent<S>
  readonly script: CliScript
}

/** A run that takes longer counts as hung. */
const watchdogMs = 60_000
const noSignals: readonly FakeStep[] = [{ ignore: 'SIGTERM' }, { ignore: 'SIGINT' }]

interface Staged {
  readonly timings?: Partial<CliTimings>
  readonly permissions?: CliOptions['permissions']
  readonly timeoutMs?: number
  readonly during?: (output: RunOutput, run: Run) => void
}

interface Judged extends PlayedRun {
  readonly state: SessionState
  readonly program: FakeProgram
}

/**
 * The suite that every command-line agent passes: a fake program plays each way in which the real one may
 * behave.
 */
export function testCliAgent<S>({ agent, script }: CliAgentSpec<S>): void {
  const programs: FakeProgram[] = []
  afterEach(() => {
    for (const program of programs.splice(0)) program.remove()
  })
  const hurried: CliAgent<S> = {
    ...agent,
    escalation: agent.escalation.map((step) => ({ ...step, graceMs: 150 })),
  }
  const { init, success } = script
  const hello = script.text(['Hel', 'lo, ', 'wörld'], 'm1')
  const hasMarker = success.length > 0

  const play = async (steps: readonly FakeStep[], staged: Staged = {}): Promise<Judged> => {
    const program = createFakeProgram(agent.binary, steps)
    programs.push(program)
    const { played } = start(hurried, program, staged)
    return { ...(await judge(played)), program }
  }
  const tool = (id: string, { ok = true }: { readonly ok?: boolean | undefined } = {}): ScriptedTool => ({
    id,
    input: sentinels.args,
    output: sentinels.output,
    ok,
  })

  describe(`a run of ${agent.kind}`, { timeout: watchdogMs }, () => {
    test('that goes well tells its text and completes', async () => {
      const { state, completion } = await play(print(init, hello, success))
      expect(completion).toMatchObject({ status: { code: 0 } })
      expect(answerOf(state).trimEnd()).toBe('Hello, wörld')
      if (script.handle !== undefined) expect(completion).toMatchObject({ handle: script.handle })
    })

    test('gives its program the prompt by standard input alone, and the end of that', async () => {
      // If standard input stays open, the prompt arrives once the program has printed its first lines.
      const steps: readonly FakeStep[] =
        script.keepsStdin === true
          ? [...print(init), { awaitLine: sentinels.prompt }, ...print(hello, success)]
          : [{ awaitEnd: true }, ...print(init, hello, success)]
      const { completion, program } = await play(steps)
      expect(completion).toMatchObject({ status: { code: 0 } })
      const call = program.call()
      expect(call?.stdin).toContain(sentinels.prompt)
      expect(JSON.stringify([call?.args, call?.env])).not.toContain(sentinels.prompt)
    })

    test('of several messages keeps them apart and in order', async () => {
      const second = script.text(['Good', 'bye'], 'm2')
      const between = script.tools?.([tool('t1')]) ?? []
      const { state } = await play(print(init, hello, between, second, success))
      expect(answerOf(state).replaceAll('\n', '')).toBe('Hello, wörldGoodbye')
    })

    test.runIf(script.whole !== undefined)('tells a message that comes as a whole only', async () => {
      const whole = script.whole?.('All at once.', 'm1') ?? []
      expect(answerOf((await play(print(init, whole, success))).state)).toBe('All at once.')
    })

    test.runIf(script.tools !== undefined)(
      'tells tools that run at once, each with its own end',
      async () => {
        const { state, events, completion } = await play(
          print(
            init,
            script.tools?.([tool('t1'), tool('t2', { ok: false }), tool('t3')]) ?? [],
            hello,
            success,
          ),
        )
        expect(completion).toMatchObject({ status: { code: 0 } })
        const calls = tableValues(state.calls)
        expect(calls.map(({ call }) => call)).toEqual(['t1', 't2', 't3'])
        expect(calls.map(({ status }) => status)).toEqual(['success', 'error', 'success'])
        expect(calls.every(({ args }) => JSON.stringify(args).includes(sentinels.args))).toBe(true)
        expect(payloadsOf(events, 'tool-result').every((text) => text.includes(sentinels.output))).toBe(true)
      },
    )

    test.runIf(script.retryable !== undefined)('goes on behind what is tried again', async () => {
      const { events, state, completion } = await play(print(init, script.retryable ?? [], hello, success))
      expect(completion).toMatchObject({ status: { code: 0 } })
      expect(answerOf(state).trimEnd()).toBe('Hello, wörld')
      expect(events).toContainEqual(expect.objectContaining({ kind: 'notice', level: 'warning' }))
    })

    test.runIf(hasMarker)('fails without a last word', async () => {
      const { completion } = await play(print(init, hello))
      expect(completion).toMatchObject({
        code: 'run_failed',
        message: `${agent.label} backend error: ended without a result`,
      })
    })

    test.runIf(hasMarker)('is over with the first last word, whatever comes behind it', async () => {
      const isTentative = script.isTentative === true
      const more = isTentative ? [] : (script.failure?.lines ?? [])
      const code = isTentative ? 0 : 1
      const { completion, events } = await play([
        ...print(init, hello, success, success, more),
        { exit: code },
      ])
      expect(completion).toMatchObject({ status: { code } })
      expect(events.filter(({ kind }) => kind === 'usage').length).toBeLessThanOrEqual(1)
    })

    test.runIf(script.failure !== undefined)(
      'fails by its own word, also where that comes twice',
      async () => {
        const lines = script.failure?.lines ?? []
        const { completion } = await play([...print(init, hello, lines, lines, success), { exit: 1 }])
        expect(completion).toMatchObject({ code: 'run_failed', message: script.failure?.message })
      },
    )

    test.runIf(script.disguised !== undefined)('fails where its success says that it is none', async () => {
      const { completion } = await play(print(init, hello, script.disguised?.lines ?? []))
      expect(completion).toMatchObject({ code: 'run_failed', message: script.disguised?.message })
    })

    test('fails by its exit code', async () => {
      const { completion } = await play([{ complain: sentinels.stderr }, ...print(init, hello), { exit: 3 }])
      const message = agent.exitMessage({ code: 3, signal: null })
      expect(completion).toMatchObject({ code: 'run_failed', message })
    })

    test('fails when its program is killed by somebody', async () => {
      const { completion } = await play([...print(init), { raise: 'SIGKILL' }])
      const message = agent.exitMessage({ code: null, signal: 'SIGKILL' })
      expect(completion).toMatchObject({ code: 'run_failed', message })
    })

    test('fails when nothing comes any more', async () => {
      const { completion } = await play([...noSignals, ...print(init, hello), { hang: true }], {
        timings: { idleMs: 700 },
      })
      expect(completion).toMatchObject({ message: `${agent.label} backend error: idle timeout` })
    })

    test('fails when its time is over', async () => {
      const { completion } = await play([...print(init, hello), { hang: true }], { timeoutMs: 700 })
      expect(completion).toMatchObject({ message: `${agent.label} backend error: timeout` })
    })

    test.runIf(hasMarker)('completes though its program stays, and ends that', async () => {
      const { completion } = await play([...noSignals, ...print(init, hello, success), { hang: true }], {
        timings: { lingerMs: 150, settleMs: 700 },
      })
      expect(completion).toMatchObject({ status: { signal: 'SIGKILL' } })
    })

    test('completes though something that it started holds the pipe', async () => {
      const { completion } = await play([{ grandchild: 'holds-pipe' }, ...print(init, hello, success)])
      expect(completion).toMatchObject({ status: { code: 0 } })
    })

    test('reads a line of 5 MiB', async () => {
      const long = 'é'.repeat(5 * 512 * 1024)
      const tools = script.tools?.([{ ...tool('t1'), output: long }]) ?? []
      const { events } = await play(print(init, tools, script.text([long], 'm1'), success))
      expect(answerIn(events).trimEnd() === long).toBe(true)
    })

    test('goes on behind lines that cannot be read', async () => {
      const bytes = Buffer.from([0xff, ...Buffer.from(`${sentinels.garbage}\n`)]).toString('base64')
      const noise: readonly FakeStep[] =
        agent.mapper.format === 'json'
          ? [...print([`${sentinels.garbage} {`, `{"a":"${sentinels.garbage}`, ''])]
          : []
      const { state, events, completion } = await play([
        { complain: `${sentinels.stderr}\n` },
        ...print(init),
        ...noise,
        { bytes, encoding: 'base64' },
        ...print(hello, success),
      ])
      expect(completion).toMatchObject({ status: { code: 0 } })
      expect(answerOf(state).trimEnd()).toBe('Hello, wörld')
      expect(
        events.filter((event) => event.kind === 'notice' && event.code === 'malformed_line'),
      ).toHaveLength(noise.length === 0 ? 1 : 3)
    })

    test.runIf(agent.mapper.format === 'json')('goes on behind JSON that means nothing', async () => {
      const odd = [
        null,
        7,
        'text',
        [],
        {},
        { type: 'never-heard-of', secret: sentinels.garbage },
        { type: 7 },
      ]
      const texts = odd.map((line) => JSON.stringify(line))
      const { state } = await play(print(init, texts, hello, success))
      expect(answerOf(state).trimEnd()).toBe('Hello, wörld')
    })

    test('is cancelled at once, with all that it started', async () => {
      let after = 0
      const steps: readonly FakeStep[] = [
        ...noSignals,
        { grandchild: 'holds-pipe' },
        ...print(init, hello, hello),
        { hang: true },
      ]
      const { completion } = await play(steps, {
        during: (_, run) => {
          after += 1
          run.cancel()
          run.cancel()
        },
      })
      expect(completion).toMatchObject({ code: 'run_cancelled' })
      expect(after).toBe(1)
    })

    test('that cannot be begun tells it in the run', async () => {
      const program = createFakeProgram(agent.binary, [])
      program.remove()
      const { completion, events } = await judge(start(hurried, program, {}).played)
      const message = `${agent.label} backend error: binary not found`
      expect(completion).toMatchObject({ code: 'run_failed', message })
      expect(events).toHaveLength(1)
    })
  })

  describe.runIf(script.permission !== undefined)(`a tool of ${agent.kind}`, { timeout: watchdogMs }, () => {
    const permission = script.permission ?? { ask: () => [], allowed: '', refused: '' }
    const ask = (awaited: string): readonly FakeStep[] => [
      ...print(init, permission.ask(sentinels.args)),
      { awaitLine: awaited },
      ...print(hello, success),
      { awaitEnd: true },
    ]

    test.each([
      ['runs once a person accepts', 'accept', 'answered', permission.allowed],
      ['does not run when a person rejects', 'reject', 'answered', permission.refused],
      ['does not run when nobody answers', undefined, 'timeout', permission.refused],
    ] as const)('%s', async (_, decision, how, awaited) => {
      const { completion, state, program } = await play(ask(awaited), {
        permissions: 'ask',
        during(output, run) {
          for (const token of questionsIn(output)) run.answer(omitUndefined({ token, how, decision }))
        },
      })
      expect(completion).toMatchObject({ status: { code: 0 } })
      expect(tableValues(state.questions)).toHaveLength(1)
      expect(program.call()).toMatchObject({ isStdinClosed: true })
    })

    test('is asked about by a question that refuses unless answered and tells no arguments', async () => {
      const { state } = await play(ask(permission.refused), {
        permissions: 'ask',
        during(output, run) {
          run.answer({ token: 'another', how: 'answered', decision: 'accept' })
          for (const token of questionsIn(output)) run.answer({ token, how: 'answered', decision: 'reject' })
        },
      })
      expect(tableValues(state.questions)[0]?.opened).toMatchObject({
        question: 'confirmation',
        default: 'reject',
        timeoutMs: askTimeoutMs,
      })
    })
  })
}

const askTimeoutMs = 300_000

function start<S>(agent: CliAgent<S>, program: FakeProgram, staged: Staged): { played: Promise<PlayedRun> } {
  const request: RunRequest = omitUndefined({
    prompt: `say hello ${sentinels.prompt}`,
    timeoutMs: staged.timeoutMs,
  })
  const made = createCliAgent(agent, {
    program: program.path,
    defaults: { cwd: process.cwd(), env: { PATH: process.env['PATH'] ?? '', SECRET: sentinels.env } },
    options: { permissions: staged.permissions ?? 'deny', askTimeoutMs },
    timings: { idleMs: watchdogMs, lingerMs: 10_000, drainMs: 300, ...staged.timings },
  })
  return { played: playRun(made, request, staged.during) }
}

async function judge(played: Promise<PlayedRun>): Promise<PlayedRun & { readonly state: SessionState }> {
  const run = await played
  return { ...run, state: await judgeRun(run) }
}

function questionsIn(output: RunOutput): readonly string[] {
  if (output.type !== 'events') return []
  return output.events.flatMap((event) => (event.kind === 'question-open' ? [event.token] : []))
}

function payloadsOf(events: readonly SluiceEvent[], kind: 'tool-result'): readonly string[] {
  return events.flatMap((event) => (event.kind === kind ? [JSON.stringify(event.result ?? null)] : []))
}
