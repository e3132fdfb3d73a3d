import type { Readable } from 'node:stream'
import type { FramedText, FramingFault, RunCompletion, RunHost, Timer } from '@sluice/protocol'
import { createMalformedNotices } from '../cli/malformed.ts'
import { createPatience } from '../cli/patience.ts'
import { closedOutput, readLines } from '../cli/read-lines.ts'
import type { CliTimings } from '../cli/timings.ts'
import { createFrameWatch } from '../frames/frame-watch.ts'
import { ownFailure } from '../frames/own-failure.ts'
import { spawnFailure } from '../process/spawn-failure.ts'
import { type ExitStatus, type ProcessGroup, spawnGroup } from '../process/spawn-group.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { type Driven, type RunSink, runFailed } from '../run/create-run.ts'
import { type CommandInput, encodeInput, toAnswer, toMessage } from './command-input.ts'
import type { CommandProgram } from './command-program.ts'

export interface CommandDrive {
  readonly program: CommandProgram
  readonly request: CheckedRequest
  readonly timings: CliTimings
  readonly host: RunHost
}

/** Runs a program that prints frames, from its start until none of its processes is left. */
export function driveCommand({ program, request, timings, host }: CommandDrive, sink: RunSink): Driven {
  const { kind, dialect } = program
  const { clock } = host
  const watch = createFrameWatch(dialect, clock)
  const malformed = createMalformedNotices()
  let group: ProcessGroup | undefined
  let failure: string | undefined
  let isEnding = false
  let isGone = false
  let messages = 0
  let grace: Timer | undefined

  const stop = (): void => {
    isEnding = true
    patience.stop()
    void group?.end()
  }

  const fail = (message: string): void => {
    // The program's own outcome takes precedence.
    if (watch.outcome === undefined) failure ??= `${kind} backend error: ${message}`
    stop()
  }

  const patience = createPatience(clock, timings, {
    isExcused: () => watch.hasQuestion,
    onIdle: () => fail('idle timeout'),
    onUndrained: () => void group?.stdout.destroy(),
  })
  const limit =
    request.timeoutMs === undefined ? undefined : clock.after(request.timeoutMs, () => fail('timeout'))

  const write = (input: CommandInput): boolean => {
    if (!program.inputs || group === undefined || isEnding || watch.outcome !== undefined) return false
    group.write(encodeInput(input))
    return true
  }

  /** A program that reads inputs receives the cancel, and has some time to exit by itself. */
  const cancel = (): void => {
    if (write({ type: 'cancel', at: clock.now() })) {
      isEnding = true
      group?.closeStdin()
      grace = clock.after(timings.lingerMs, stop)
    } else stop()
  }

  const takeLine = async (line: FramedText | FramingFault): Promise<void> => {
    const verdict = line.ok ? watch.take(line.text) : 'malformed'
    if (verdict === 'late') return
    if (verdict === 'malformed' || !line.ok) {
      const events = malformed.tell(line.ok ? Buffer.byteLength(line.text) : line.bytes)
      if (events.length > 0) await sink.emit({ type: 'events', events })
      return
    }
    if (watch.outcome !== undefined) {
      group?.closeStdin()
      patience.linger(() => void group?.end())
    }
    await sink.emit({ type: 'frame', dialect: dialect.id, text: line.text })
  }

  const read = async (stdout: Readable): Promise<void> => {
    await readLines(stdout, { patience, isGone: () => isGone, take: takeLine })
    // Whatever it does from here on, it cannot tell.
    group?.closeStdin()
    patience.linger(() => {
      if (watch.outcome === undefined) failure ??= `${kind} backend error: ${closedOutput}`
      void group?.end()
    })
  }

  const writePrompt = (to: ProcessGroup): void => {
    const isByStdin = program.prompt === 'stdin'
    if (isByStdin && program.inputs) to.write(encodeInput(toMessage(clock.now(), messages++, request.prompt)))
    else if (isByStdin) to.write(request.prompt)
    if (!program.inputs) to.closeStdin()
  }

  const run = async (): Promise<RunCompletion> => {
    const { file, escalation } = program
    const args = program.prompt === 'argument' ? [...program.args, request.prompt] : program.args
    const started = spawnGroup({ file, args, cwd: request.cwd, env: request.env }, clock, escalation)
    group = await started.catch((error: unknown) => {
      throw spawnFailure(kind, error)
    })
    try {
      const reading = read(group.stdout).catch(() => fail('unreadable output'))
      if (isEnding) void group.end()
      await host.onProcess?.(group.process)
      if (!isEnding) writePrompt(group)
      const status = await group.exited
      isGone = true
      patience.exited()
      await reading
      return toCompletion(status)
    } finally {
      patience.rest()
      patience.stop()
      grace?.clear()
      await group.end()
    }
  }

  const toCompletion = (status: ExitStatus): RunCompletion => {
    if (failure !== undefined) throw runFailed(failure)
    const { outcome } = watch
    if (outcome !== undefined && outcome !== 'completed') throw runFailed(ownFailure(kind, outcome))
    if (outcome === undefined && status.code !== 0)
      throw runFailed(`${kind} exited non-zero: code=${status.code} (output redacted)`)
    return { status }
  }

  return {
    finished: run().finally(() => limit?.clear()),
    end: cancel,
    kill: () => group?.kill(),
    answer(answer) {
      if (!watch.answered(answer.token)) return
      patience.renew()
      write(toAnswer(clock.now(), answer))
    },
    message: (text) => write(toMessage(clock.now(), messages++, text)),
  }
}
