import type { CliAgent } from '../cli/cli-agent.ts'
import { usualEscalation } from '../process/end-group.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import { forkKey, modelKey, resumeKey } from '../request/extension-keys.ts'
import { toCommand } from './command.ts'
import { classify, runFailure } from './failure.ts'
import { mapper } from './map.ts'
import { opencodePolicy } from './policy.ts'
import type { OpencodeState } from './state.ts'

const extensions = [modelKey, resumeKey, forkKey]

/** OpenCode, read from its stream of JSON lines. It forks a session only by its id. */
export const opencode: CliAgent<OpencodeState> = {
  kind: 'opencode',
  title: 'OpenCode',
  label: 'opencode',
  binary: 'opencode',
  install: 'npm install -g opencode-ai',
  versionArgs: ['--version'],
  capabilities: [...fullCapabilities, ...extensions],
  rules: { kind: 'opencode', extensions, policy: opencodePolicy },
  escalation: usualEscalation,
  command: toCommand,
  mapper,
  classify,
  exitMessage: () => runFailure,
}
