import { type Agent, omitUndefined } from '@sluice/protocol'
import { findProgram } from '../process/find-program.ts'
import { readVersion } from '../process/read-version.ts'
import { checkRequest } from '../request/check-request.ts'
import type { RunDefaults } from '../request/checked-request.ts'
import { createRun } from '../run/create-run.ts'
import type { CliAgent, CliOptions } from './cli-agent.ts'
import { driveCli } from './drive-cli.ts'
import { type CliTimings, usualTimings } from './timings.ts'

export interface CliAgentConfig {
  /** The program, if it cannot be found by its usual name. */
  readonly program?: string
  readonly defaults: RunDefaults
  readonly options: CliOptions
  readonly timings?: Partial<CliTimings>
}

/** Creates an agent that runs a program on this machine. */
export function createCliAgent<S>(agent: CliAgent<S>, config: CliAgentConfig): Agent {
  const { options } = config
  const defaults = { ...config.defaults, ceiling: options }
  const timings = { ...usualTimings, ...config.timings }
  const find = (path: string | undefined): Promise<string | undefined> =>
    findProgram(config.program ?? agent.binary, path)

  return {
    kind: agent.kind,
    capabilities: [...agent.capabilities].sort(),
    async look(signal) {
      const path = await find(defaults.env['PATH'])
      if (path === undefined) return { isInstalled: false, hint: agent.install }
      const version = await readVersion({ file: path, args: agent.versionArgs, env: defaults.env, signal })
      return omitUndefined({ isInstalled: true, path, version })
    },
    check: (asked) => void checkRequest(asked, agent.rules, defaults),
    run(asked, host) {
      const request = checkRequest(asked, agent.rules, defaults)
      return createRun((sink) => {
        const file = config.program ?? agent.binary
        return driveCli({ agent, file, request, options, timings, host }, sink)
      })
    },
  }
}
