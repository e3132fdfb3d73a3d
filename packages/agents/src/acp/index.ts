import { type Agent, omitUndefined } from '@sluice/protocol'
import type { CliAgent, CliOptions } from '../cli/cli-agent.ts'
import { createCliAgent } from '../cli/create-cli-agent.ts'
import type { CliTimings } from '../cli/timings.ts'
import { type Escalation, usualEscalation } from '../process/end-group.ts'
import { findProgram } from '../process/find-program.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import type { RunDefaults } from '../request/checked-request.ts'
import { modelKey, resumeKey } from '../request/extension-keys.ts'
import { toCommand } from './command.ts'
import { createAcpMapper } from './map.ts'
import type { AcpState } from './state.ts'

/** A program that speaks the Agent Client Protocol. */
export interface AcpProgram {
  readonly kind: string
  /** Display name. Default: `kind`, or in questions the name that the agent reports. */
  readonly title?: string
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
}

export interface AcpAgentConfig extends AcpProgram, CliOptions {
  readonly defaults: RunDefaults
  readonly timings?: Partial<CliTimings>
  readonly escalation?: Escalation
}

const extensions = [modelKey, resumeKey]

/**
 * Any agent that speaks the Agent Client Protocol, version 1, over standard input and output. Standard input
 * stays open for one turn.
 */
export function acpAgent({ kind, title, command: [binary, ...args] }: AcpProgram): CliAgent<AcpState> {
  return {
    kind,
    title: title ?? kind,
    label: kind,
    binary,
    install: `Install ${binary}, or put it on the path.`,
    versionArgs: [],
    capabilities: [...fullCapabilities, ...extensions],
    rules: { kind, extensions },
    escalation: usualEscalation,
    command: () => toCommand(args),
    mapper: createAcpMapper({ title, label: kind }),
    classify: () => undefined,
    exitMessage: ({ code, signal }) =>
      `${kind} exited: ${code === null ? `signal=${signal}` : `code=${code}`} (output redacted)`,
  }
}

/**
 * Creates an agent from any program that speaks the Agent Client Protocol. The program uses its own files and
 * terminals. With `permissions: 'ask'`, its permission requests become questions.
 */
export function createAcpAgent(config: AcpAgentConfig): Agent {
  const { permissions, requestsMayRaisePermissions = false, askTimeoutMs, defaults, timings } = config
  const agent = { ...acpAgent(config), escalation: config.escalation ?? usualEscalation }
  const options = { permissions, requestsMayRaisePermissions, askTimeoutMs }
  return {
    ...createCliAgent(agent, omitUndefined({ defaults, options, timings })),
    // Does not ask for the version: an unknown program could do anything with the argument.
    async look() {
      const path = await findProgram(agent.binary, defaults.env['PATH'])
      return path === undefined ? { isInstalled: false, hint: agent.install } : { isInstalled: true, path }
    },
  }
}
