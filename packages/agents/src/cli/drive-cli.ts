import type { Readable } from 'node:stream'
import {
  type FramedText,
  type FramingFault,
  type JsonValue,
  omitUndefined,
  type RunAnswer,
  type RunCompletion,
  type RunHost,
  type SluiceEvent,
  type Timer,
} from '@sluice/protocol'
import { spawnFailure } from '../process/spawn-failure.ts'
import { type ExitStatus, type ProcessGroup, spawnGroup } from '../process/spawn-group.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { externalSandboxWarning } from '../request/exec-policy.ts'
import { type Driven, type RunSink, runFailed } from '../run/create-run.ts'
import { boundEvents } from './bound-events.ts'
import type { CliAgent, CliOptions, Mapped, Verdict } from './cli-agent.ts'
import { createMalformedNotices } from './malformed.ts'
import { createPatience } from './patience.ts'
import { closedOutput, readLines } from './read-lines.ts'
import type { CliTimings } from './timings.ts'

export interface CliDrive<S> {
  readonly agent: CliAgent<S>
  /** The path of its program. */
  readonly file: string
  readonly request: CheckedRequest
  readonly options: CliOptions
  readonly timings: CliTimings
  readonly host: RunHost
}

/** Runs a command-line agent from its start until none of its processes is left. */
export function driveCli<S>(drive: CliDrive<S>, sink: RunSink): Driven {
  const { agent, request, options, timings, host } = drive
  const { clock } = host
  const { mapper } = agent
  const malformed = createMalformedNotices()
  const questions = new Set<string>()
  let state = mapper.initial(request, options, clock.now())
  let group: ProcessGroup | undefined
  let verdict: Verdict | undefined
  let tentative: Verdict | undefined
  let failure: string | undefined
  let handle: string | undefined
  let isEnding = false
  /**
   * Whether the verdict came before the end of the output. If so, the exit code does not change a success.
   */
  let hadVerdict = false
  let isGone = false
  let grace: Timer | undefined
  let lastLine = 0

  const end = (): void => {
    const words = isEnding || group === undefined ? [] : (mapper.stop?.(state) ?? [])
    isEnding = true
    patience.stop()
    if (words.length === 0) return void group?.end()
    for (const line of words) group?.write(`${line}\n`)
    group?.closeStdin()
    grace = clock.after(agent.escalation[0]?.graceMs ?? 0, () => void group?.end())
  }

  const fail = (message: string): void => {
    // The agent's own verdict takes precedence.
    if (verdict === undefined) failure ??= `${agent.label} backend error: ${message}`
    end()
  }

  const patience = createPatience(clock, timings, {
    isExcused: () => questions.size > 0,
    onIdle: () => (tentative === undefined ? fail('idle timeout') : conclude(tentative)),
    onUndrained: () => void group?.stdout.destroy(),
  })
  const limit =
    request.timeoutMs === undefined ? undefined : clock.after(request.timeoutMs, () => fail('timeout'))

  const note = (event: SluiceEvent): void => {
    if (event.kind === 'question-open') questions.add(event.token)
    else if (event.kind === 'question-close') questions.delete(event.token)
    handle = event.meta?.agent?.session ?? handle
  }

  const emit = async (events: readonly SluiceEvent[]): Promise<void> => {
    if (events.length === 0) return
    for (const event of events) note(event)
    await sink.emit({ type: 'events', events: boundEvents(events) })
  }

  const conclude = (said: Verdict): void => {
    if (verdict !== undefined) return
    verdict = said
    group?.closeStdin()
    if (!said.ok && said.endsNow === true) end()
    else patience.linger(() => void group?.end())
  }

  const take = (mapped: Mapped<S>): Promise<void> => {
    state = mapped.state
    for (const line of mapped.write ?? []) group?.write(`${line}\n`)
    const emitted = emit(mapped.events)
    tentative = mapped.tentative
    patience.settle(tentative !== undefined)
    if (mapped.verdict !== undefined) conclude(mapped.verdict)
    return emitted
  }

  const takeLine = async (line: FramedText | FramingFault): Promise<void> => {
    // The decoder skips blank lines, but in a text they count.
    if (mapper.format === 'text')
      for (; lastLine + 1 < line.line; lastLine++) await take(mapper.step(state, ''))
    lastLine = line.line
    if (line.ok && mapper.isBanner?.(line.text) === true) return
    const value = line.ok ? parseLine(line.text, mapper.format) : undefined
    const mapped = value === undefined ? undefined : mapper.step(state, value)
    if (mapped !== undefined) await take(mapped)
    if (mapped === undefined || mapped.isMalformed === true)
      await emit(malformed.tell(line.ok ? Buffer.byteLength(line.text) : line.bytes))
  }

  const read = async (stdout: Readable): Promise<void> => {
    await readLines(stdout, { patience, isGone: () => isGone, take: takeLine })
    hadVerdict = verdict !== undefined
    await take(mapper.end(state))
    // Whatever it does from here on, it cannot tell.
    group?.closeStdin()
    patience.linger(() => {
      if (verdict === undefined) failure ??= `${agent.label} backend error: ${closedOutput}`
      void group?.end()
    })
  }

  const run = async (): Promise<RunCompletion> => {
    const command = agent.command(request, options)
    const env = withVariables(request.env, command.env ?? {})
    if (request.externalSandbox) await emit([toWarning(externalSandboxWarning)])
    group = await spawnGroup(
      { file: drive.file, args: command.args, cwd: request.cwd, env },
      clock,
      agent.escalation,
    ).catch((error: unknown) => {
      throw spawnFailure(agent.label, error)
    })
    const { exited, stdout } = group
    try {
      const reading = read(stdout).catch(() => fail('unreadable output'))
      if (isEnding) void group.end()
      await host.onProcess?.(group.process)
      if (!isEnding) group.write(command.stdin)
      if (isEnding || !command.keepsStdin) group.closeStdin()
      const status = await exited
      isGone = true
      patience.exited()
      await reading
      return toCompletion(status, group.stderr())
    } finally {
      patience.rest()
      patience.stop()
      grace?.clear()
      await group.end()
    }
  }

  const toCompletion = (status: ExitStatus, stderr: string): RunCompletion => {
    if (failure !== undefined) throw runFailed(failure)
    if (verdict?.ok === true && (hadVerdict || isGood(status.code, verdict)))
      return omitUndefined({
        status,
        finalText: verdict.finalText,
        handle,
      })
    const known = agent.classify(stderr, request)
    if (known !== undefined) throw runFailed(known)
    if (verdict?.ok === false) throw runFailed(verdict.message)
    if (status.code !== 0) throw runFailed(agent.exitMessage(status))
    throw runFailed(`${agent.label} backend error: ended without a result`)
  }

  return {
    finished: run().finally(() => limit?.clear()),
    end,
    kill: () => group?.kill(),
    answer(answer: RunAnswer) {
      if (!questions.delete(answer.token)) return
      patience.renew()
      if (mapper.answer !== undefined) void take(mapper.answer(state, answer))
    },
    message(text) {
      const mapped = verdict === undefined ? mapper.message?.(state, text) : undefined
      if (mapped !== undefined) void take(mapped)
      return mapped !== undefined
    },
  }
}

function toWarning(text: string): SluiceEvent {
  return { kind: 'notice', level: 'warning', code: 'external_sandbox', text, meta: { channel: 'status' } }
}

function parseLine(text: string, format: 'json' | 'text'): JsonValue | undefined {
  if (format === 'text') return text
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withVariables(
  env: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const all = Object.entries({ ...env, ...changes })
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function isGood(code: number | null, { exitCode = 0 }: { readonly exitCode?: number }): boolean {
  return code === 0 || code === exitCode
}
