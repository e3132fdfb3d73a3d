import type { AgentConfig } from '@sluice/gateway/admin'
import type { Io } from '../io.ts'

/** The variables that programs need to find their files and to use the person's language. */
const usual = [
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
] as const

/** The variables that configure the model, its address and its key for each kind of agent. */
const ofKind: { readonly [Type in AgentConfig['type']]?: readonly string[] } = {
  claude_code: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CONFIG_DIR',
  ],
  codex: ['CODEX_API_KEY', 'CODEX_HOME', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  gemini_cli: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
  opencode: [
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'OPENAI_API_KEY',
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_CONTENT',
    'OPENCODE_CONFIG_DIR',
    'OPENROUTER_API_KEY',
  ],
  aider: ['AIDER_MODEL', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  acp: ['ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENAI_API_KEY', 'OPENCODE_CONFIG'],
}

/**
 * The complete environment of an agent: it inherits only the variables named here or in its configuration.
 */
export function toAgentEnvironment(
  { type, env = {}, passEnv = [] }: Pick<AgentConfig, 'type' | 'env' | 'passEnv'>,
  from: Io['env'],
): Readonly<Record<string, string>> {
  const names = Object.keys(from).filter((name) => name.startsWith('LC_'))
  const passed = [...usual, ...names, ...(ofKind[type] ?? []), ...passEnv].flatMap((name) => {
    const value = from[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), ...env }
}
