import { resolve } from 'node:path'
import {
  aider,
  type CliAgentConfig,
  claudeCode,
  codex,
  createAcpAgent,
  createCliAgent,
  createCommandAgent,
  createDemoAgent,
  createRemoteAgent,
  geminiCli,
  opencode,
  type RemoteFetch,
  type RunDefaults,
} from '@sluice/agents'
import { guardedStream, type HostedAgent } from '@sluice/gateway'
import type { AgentConfig } from '@sluice/gateway/admin'
import { type Agent, omitUndefined } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import type { Io } from '../io.ts'
import { toAgentEnvironment } from './usual-environment.ts'

/** The command-line agents, by their kind. */
const commandLine = {
  claude_code: {
    title: claudeCode.title,
    create: (config: CliAgentConfig) => createCliAgent(claudeCode, config),
  },
  codex: { title: codex.title, create: (config: CliAgentConfig) => createCliAgent(codex, config) },
  gemini_cli: {
    title: geminiCli.title,
    create: (config: CliAgentConfig) => createCliAgent(geminiCli, config),
  },
  opencode: { title: opencode.title, create: (config: CliAgentConfig) => createCliAgent(opencode, config) },
  aider: { title: aider.title, create: (config: CliAgentConfig) => createCliAgent(aider, config) },
} as const

/** The agents without a configuration: all that may be on this machine, each under the name of its kind. */
const usualAgents: Readonly<Record<string, AgentConfig>> = {
  demo: { type: 'demo' },
  claude_code: { type: 'claude_code' },
  codex: { type: 'codex' },
  gemini_cli: { type: 'gemini_cli' },
  opencode: { type: 'opencode' },
  aider: { type: 'aider' },
}

const worksNowhere: readonly AgentConfig['type'][] = ['demo', 'remote']
const usualAskTimeoutMs = 300_000

/** The agents that a configuration names. `cwd` is where they work unless it says otherwise. */
export function hostAgents(
  configured: Readonly<Record<string, AgentConfig>> | undefined,
  env: Io['env'],
  cwd: string,
): ReadonlyMap<string, HostedAgent> {
  const agents = Object.entries(configured ?? usualAgents)
  return new Map(agents.map(([name, config]) => [name, hostAgent(name, config, { env, cwd })]))
}

function hostAgent(
  name: string,
  config: AgentConfig,
  { env, cwd }: { readonly env: Io['env']; readonly cwd: string },
): HostedAgent {
  const workingDirs = worksNowhere.includes(config.type)
    ? []
    : (config.workingDirs ?? ['.']).map((path) => resolve(cwd, path))
  const defaults: RunDefaults = omitUndefined({
    cwd: workingDirs[0] ?? cwd,
    env: toAgentEnvironment(config, env),
    timeoutMs: config.timeoutMs,
    model: config.model,
  })
  return {
    agent: createAgent(name, config, defaults),
    title: config.title ?? titleOf(config, name),
    concurrency: config.concurrency ?? 4,
    queue: config.queue ?? 64,
    workingDirs,
    allowEnv: config.allowEnv ?? [],
    requestsMayRaisePermissions: config.requestsMayRaisePermissions ?? false,
    isOpen: config.type === 'demo',
  }
}

function titleOf({ type }: AgentConfig, name: string): string {
  if (type === 'demo') return 'Demo'
  return type === 'acp' || type === 'command' || type === 'remote' ? name : commandLine[type].title
}

function createAgent(name: string, config: AgentConfig, defaults: RunDefaults): Agent {
  const { type, permissions = 'ask', askTimeoutMs = usualAskTimeoutMs, idleMs, dialect = '' } = config
  const { requestsMayRaisePermissions = false } = config
  const timings = idleMs === undefined ? {} : { timings: { idleMs } }
  switch (type) {
    case 'demo':
      return createDemoAgent()
    case 'acp':
      return createAcpAgent({
        kind: toKind(name),
        command: toCommand(config),
        defaults,
        permissions,
        requestsMayRaisePermissions,
        askTimeoutMs,
        ...timings,
      })
    case 'command':
      return createCommandAgent({
        kind: toKind(name),
        command: toCommand(config),
        dialect: dialectById(dialect),
        ...omitUndefined({ prompt: config.prompt, inputs: config.inputs }),
        defaults,
        ...timings,
      })
    case 'remote':
      return createRemoteAgent({
        kind: toKind(name),
        url: config.url ?? '',
        dialect: dialectById(dialect),
        fetch: toFetch(config),
        ...omitUndefined({
          headers: config.headers,
          tokenFile: config.tokenFile,
          extensions: config.extensions,
        }),
        requestsMayRaisePermissions,
        defaults,
        ...timings,
      })
    case 'claude_code':
    case 'codex':
    case 'gemini_cli':
    case 'opencode':
    case 'aider':
      return commandLine[type].create({
        ...omitUndefined({ program: config.program }),
        defaults,
        options: { permissions, requestsMayRaisePermissions, askTimeoutMs },
        ...timings,
      })
  }
}

/** The gateway's own rules say which addresses may be reached. */
function toFetch({ allowPrivate = false }: AgentConfig): RemoteFetch {
  return (url, post, signal) => guardedStream(url, { ...post, allowPrivate }, signal)
}

/** Checked when the configuration was read: it has at least the program. */
function toCommand({ command = [] }: AgentConfig): readonly [string, ...string[]] {
  const [program = '', ...args] = command
  return [program, ...args]
}

/** A name as the kind of an agent. */
function toKind(name: string): string {
  const kind = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return /^[a-z]/.test(kind) ? kind : `agent_${kind}`
}
