import { resolve } from 'node:path'
import type { Agent, Dialect, RunRequest } from '@sluice/protocol'
import { type CliTimings, usualTimings } from '../cli/timings.ts'
import { type Escalation, usualEscalation } from '../process/end-group.ts'
import { findProgram } from '../process/find-program.ts'
import { runCapabilities } from '../request/capabilities.ts'
import { checkRequest } from '../request/check-request.ts'
import type { CheckedRequest, RunDefaults } from '../request/checked-request.ts'
import { createRun } from '../run/create-run.ts'
import { assertPlainArgument, type CommandProgram } from './command-program.ts'
import { driveCommand } from './drive-command.ts'

export interface CommandAgentConfig {
  /** Letters, digits and underscores. */
  readonly kind: string
  /**
   * The program and its arguments. A relative path is resolved in the current directory when the agent is
   * created.
   */
  readonly command: readonly [string, ...string[]]
  /** The dialect of its output. */
  readonly dialect: Dialect
  /** How it gets the prompt. Default `stdin`. */
  readonly prompt?: CommandProgram['prompt']
  /** Whether it reads answers, messages and the cancel from its standard input. Default false. */
  readonly inputs?: boolean
  readonly defaults: RunDefaults
  readonly timings?: Partial<CliTimings>
  readonly escalation?: Escalation
}

/**
 * Creates an agent from any program that prints frames. A run completes if the program exits with 0, unless
 * its frames say otherwise: they take precedence.
 */
export function createCommandAgent(config: CommandAgentConfig): Agent {
  const { kind, dialect, defaults } = config
  const [name, ...args] = config.command
  const timings = { ...usualTimings, ...config.timings }
  const rules = { kind, extensions: [] }
  const program: CommandProgram = {
    kind,
    // The system would resolve a relative path in the working directory of the run.
    file: name.includes('/') ? resolve(name) : name,
    args,
    dialect,
    prompt: config.prompt ?? 'stdin',
    inputs: config.inputs ?? false,
    escalation: config.escalation ?? usualEscalation,
  }

  const check = (asked: RunRequest): CheckedRequest => {
    const request = checkRequest(asked, rules, defaults)
    if (program.prompt === 'argument') assertPlainArgument(request.prompt, program.args)
    return request
  }

  return {
    kind,
    capabilities: [...runCapabilities].sort(),
    async look() {
      const path = await findProgram(program.file, defaults.env['PATH'])
      return path === undefined
        ? { isInstalled: false, hint: 'The program of this agent is not there, or cannot be run.' }
        : { isInstalled: true, path }
    },
    check: (asked) => void check(asked),
    run(asked, host) {
      const request = check(asked)
      return createRun((sink) => driveCommand({ program, request, timings, host }, sink))
    },
  }
}
