import Type from 'typebox'
import { count, duration, map, section, text } from './schema-fields.ts'

/** The types of agents that a gateway can run (docs/agents.md). */
const agentTypes = [
  'claude_code',
  'codex',
  'gemini_cli',
  'opencode',
  'aider',
  'acp',
  'command',
  'remote',
  'demo',
] as const

const texts = (description: string) => Type.Array(text(description), { description })

/** One agent. checkAgents() checks which keys belong to which type. */
const agent = section('An agent that the gateway runs.', {
  type: Type.Enum([...agentTypes], { description: 'What it is.' }),
  title: Type.Optional(text('Its name for people.')),
  concurrency: Type.Optional(count('Runs at the same time.')),
  queue: Type.Optional(count('Runs that may wait.', 0)),
  timeoutMs: Type.Optional(duration('The longest that a run may take.')),
  workingDirs: Type.Optional(texts('Directories in which, and below which, it may work.')),
  env: Type.Optional(map('Variables that it gets.', '^[^=\\0]+$', Type.String())),
  passEnv: Type.Optional(texts("Variables that it gets from the gateway's environment.")),
  allowEnv: Type.Optional(texts('Variables that a request may set.')),
  program: Type.Optional(text('Where the program is, if not on the path.')),
  model: Type.Optional(text('The model, if a request names none.')),
  permissions: Type.Optional(
    Type.Enum(['ask', 'allow', 'deny'], { description: 'What becomes of a tool that needs permission.' }),
  ),
  requestsMayRaisePermissions: Type.Optional(
    Type.Boolean({ description: 'Whether a request may go above `permissions`, and take up any session.' }),
  ),
  askTimeoutMs: Type.Optional(duration('How long a question about a tool waits before it is refused.')),
  idleMs: Type.Optional(duration('Without a sign of life for so long a run has failed.')),
  command: Type.Optional(texts('The program and its arguments.')),
  dialect: Type.Optional(text('The dialect that it prints or sends.')),
  prompt: Type.Optional(
    Type.Enum(['stdin', 'argument', 'none'], { description: 'How it gets the prompt, if at all.' }),
  ),
  inputs: Type.Optional(
    Type.Boolean({ description: 'Whether it reads answers, messages and the cancel from standard input.' }),
  ),
  extensions: Type.Optional(texts('A capability that it takes, sent along with the prompt.')),
  url: Type.Optional(Type.String({ pattern: '^https?://\\S+$', description: 'Where it is.' })),
  headers: Type.Optional(map('Headers that are sent along.', '^[A-Za-z0-9-]+$', Type.String())),
  tokenFile: Type.Optional(text('File with the credential to show there.')),
  allowPrivate: Type.Optional(
    Type.Boolean({ description: 'Whether `url` may be http and lead to a private address.' }),
  ),
})

/** The agents of a gateway by the names that requests use for them. */
export const agents = map('Agents that the gateway runs.', '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$', agent)
