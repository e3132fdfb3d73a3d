import {
  type JsonObject,
  omitUndefined,
  type Run,
  type RunHost,
  type SluiceEvent,
  systemClock,
} from '@sluice/protocol'
import type { CliAgent } from '../cli/cli-agent.ts'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import type { CliTimings } from '../cli/timings.ts'
import { groupMembers } from '../process/group-members.ts'
import { createFakeProgram, type FakeProgram, type FakeStep } from './fake-program.ts'
import { type PlainState, plainAgent } from './plain-agent.ts'
import { type PlayedRun, playRun } from './play-run.ts'

export interface Staged {
  readonly timings?: Partial<CliTimings>
  readonly timeoutMs?: number
  readonly extensions?: JsonObject
  readonly workingDir?: string
  readonly permissions?: 'ask'
  readonly requestsMayRaisePermissions?: boolean
  readonly agent?: Partial<CliAgent<PlainState>>
  /** A script to run instead of the steps. */
  readonly script?: string
}

/** A run that the test reads itself. */
export interface BegunRun {
  readonly program: FakeProgram
  readonly run: Run
  /** Its live processes. */
  members(): Promise<readonly number[] | undefined>
}

/** Runs the plain agent with programs that do what a test says. */
export interface PlainStage {
  play(
    steps: readonly FakeStep[],
    staged?: Staged,
    during?: Parameters<typeof playRun>[2],
  ): Promise<PlayedRun & { readonly program: FakeProgram }>
  begin(steps: readonly FakeStep[], staged?: Staged, host?: Partial<RunHost>): BegunRun
  /** Removes the programs. */
  clear(): void
}

export function createPlainStage(): PlainStage {
  const programs: FakeProgram[] = []

  const stage = (steps: readonly FakeStep[], staged: Staged) => {
    const program = createFakeProgram('plain', steps)
    programs.push(program)
    const { script, permissions = 'deny', requestsMayRaisePermissions = false, timings } = staged
    const scripted: Partial<CliAgent<PlainState>> =
      script === undefined ? {} : { command: () => ({ args: ['-e', script], stdin: '', keepsStdin: false }) }
    const agent = createCliAgent(
      { ...plainAgent, ...scripted, ...staged.agent },
      {
        program: script === undefined ? program.path : process.execPath,
        defaults: { cwd: program.folder, env: { PATH: process.env['PATH'] ?? '', KEPT: '1', TAKEN: '1' } },
        options: { permissions, requestsMayRaisePermissions, askTimeoutMs: 1000 },
        timings: { idleMs: 60_000, lingerMs: 10_000, drainMs: 200, ...timings },
      },
    )
    const { timeoutMs, extensions, workingDir } = staged
    const request = omitUndefined({
      prompt: 'hello',
      timeoutMs,
      extensions,
      workingDir,
    })
    return { program, agent, request }
  }

  return {
    async play(steps, staged = {}, during) {
      const { program, agent, request } = stage(steps, staged)
      return { program, ...(await playRun(agent, request, during)) }
    },
    begin(steps, staged = {}, host = {}) {
      const { program, agent, request } = stage(steps, staged)
      let pid: number | undefined
      const run = agent.run(request, {
        clock: host.clock ?? systemClock,
        async onProcess(process) {
          pid = process.pid
          await host.onProcess?.(process)
        },
      })
      return { program, run, members: async () => (pid === undefined ? [] : groupMembers(pid)) }
    },
    clear() {
      for (const program of programs.splice(0)) program.remove()
    },
  }
}

/** The events of a run, read to their end. */
export async function readEvents(run: Run): Promise<readonly SluiceEvent[]> {
  const events: SluiceEvent[] = []
  for await (const output of run.outputs) if (output.type === 'events') events.push(...output.events)
  return events
}
