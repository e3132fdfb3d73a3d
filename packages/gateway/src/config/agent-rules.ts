import type { ComplainOfRule } from './complain-of-rule.ts'
import type { AgentConfig, GatewayConfig } from './config.ts'

type AgentType = AgentConfig['type']
type AgentKey = keyof AgentConfig

const commandLine: readonly AgentType[] = ['claude_code', 'codex', 'gemini_cli', 'opencode', 'aider']
const programs: readonly AgentType[] = [...commandLine, 'acp', 'command']
const asking: readonly AgentType[] = ['claude_code', 'acp']
const remote: readonly AgentType[] = ['remote']
/** The types whose requests can ask for more than is configured. */
const raising: readonly AgentType[] = ['claude_code', 'codex', 'gemini_cli', 'opencode', 'acp', 'remote']

/** The types that a key belongs to; the others belong to all. */
const typesOf: { readonly [Key in AgentKey]?: readonly AgentType[] } = {
  workingDirs: programs,
  env: programs,
  passEnv: programs,
  allowEnv: programs,
  program: commandLine,
  model: commandLine,
  permissions: [...commandLine, 'acp'],
  requestsMayRaisePermissions: raising,
  askTimeoutMs: asking,
  idleMs: [...programs, 'remote'],
  command: ['command', 'acp'],
  dialect: ['command', 'remote'],
  prompt: ['command'],
  inputs: ['command'],
  extensions: remote,
  url: remote,
  headers: remote,
  tokenFile: remote,
  allowPrivate: remote,
}

const needed: { readonly [Type in AgentType]?: readonly AgentKey[] } = {
  acp: ['command'],
  command: ['command', 'dialect'],
  remote: ['url', 'dialect'],
}

/** Checks which keys each agent has, by its type. */
export function checkAgents(agents: GatewayConfig['agents'], complain: ComplainOfRule): void {
  const section = ['agents']
  for (const [name, agent] of Object.entries(agents ?? {})) {
    const place = [...section, name]
    const { type, url, allowPrivate } = agent
    for (const key of Object.keys(agent) as AgentKey[]) // the schema allows no other keys
      if (typesOf[key]?.includes(type) === false)
        complain([...place, key], [section], `is no key of an agent of the type ${type}.`)
    for (const key of needed[type] ?? [])
      if (agent[key] === undefined) complain([...place, key], [section], 'is missing.')
    if (agent.command?.length === 0) complain([...place, 'command'], [section], 'needs at least the program.')
    if (agent.workingDirs?.length === 0)
      complain([...place, 'workingDirs'], [section], 'needs at least one directory.')
    if (url?.startsWith('http:') === true && allowPrivate !== true)
      complain([...place, 'url'], [section], 'must be an https address unless allowPrivate is true.')
  }
}
