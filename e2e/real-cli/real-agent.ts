import type { Agent, Run, RunOutput, RunRequest, SessionState } from '@sluice/protocol'
import { expect } from 'vitest'
import type { CliOptions, CliTimings } from '../../packages/agents/src/index.ts'
import { markedProcesses } from '../../packages/agents/src/process/marked-processes.ts'
import { judgeRun } from '../../packages/agents/src/testing/judge-run.ts'
import { type PlayedRun, playRun } from '../../packages/agents/src/testing/play-run.ts'
import { type CliHome, type CliName, createCliHome } from './cli-home.ts'
import { installCli } from './install-cli.ts'
import type { ModelCall } from './model-apis/model-api.ts'
import { type ModelReply, type ModelStub, startModelStub } from './model-stub.ts'
import { createRecorder, isRecording } from './recorder.ts'

/** One of our agents with its real program. */
export interface RealAgent {
  readonly cli: CliName
  /** The prefix of the names of its recordings. */
  readonly prefix?: string
  /** A run that is silent for this long has failed; longer than the program takes to start. */
  readonly idleMs: number
  create(parts: RealAgentParts): Agent
  /** The call with which a model runs a command. */
  shell(command: string): ModelCall
}

export interface RealAgentParts {
  readonly program: string
  readonly options: CliOptions
  readonly timings: Partial<CliTimings>
  readonly defaults: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
}

/** An agent, a model that follows a script, and a folder to work in. */
export interface Stage {
  readonly agent: Agent
  readonly model: ModelStub
  readonly home: CliHome
  /** Runs the agent to its end. Fails if a process is left or a rule for every run is broken. */
  run(
    scenario: string,
    request: RunRequest,
    during?: (output: RunOutput, run: Run) => void,
  ): Promise<PlayedRun & { readonly state: SessionState }>
  remove(): Promise<void>
}

export async function createStage(
  real: RealAgent,
  script: readonly ModelReply[],
  permissions: CliOptions['permissions'] = 'deny',
): Promise<Stage> {
  const installed = await installCli(real.cli)
  const model = await startModelStub(script)
  const home = createCliHome(real.cli, model.url)
  const recorder = isRecording
    ? createRecorder(real.cli, { program: installed, home, modelUrl: model.url })
    : undefined
  const agent = real.create({
    program: recorder?.program ?? installed,
    options: { permissions, askTimeoutMs: 300_000 },
    timings: { idleMs: real.idleMs },
    defaults: { cwd: home.work, env: home.env },
  })
  return {
    agent,
    model,
    home,
    async run(scenario, request, during) {
      const played = await playRun(agent, request, during)
      recorder?.save(`${real.prefix ?? ''}${scenario}`)
      const state = await judgeRun(played)
      expect(await markedProcesses(played.process?.marker ?? '')).toEqual([])
      expect(model.strange).toEqual([])
      return { ...played, state }
    },
    async remove() {
      await model.close()
      home.remove()
    },
  }
}
