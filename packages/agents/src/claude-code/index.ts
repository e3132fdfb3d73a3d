import type { CliAgent } from '../cli/cli-agent.ts'
import { usualEscalation } from '../process/end-group.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import {
  addDirsKey,
  externalSandboxKey,
  forkKey,
  modelKey,
  nonInteractiveKey,
  resumeKey,
} from '../request/extension-keys.ts'
import { toCommand } from './command.ts'
import { classify, exitMessage } from './failure.ts'
import { mapper } from './map.ts'
import type { ClaudeState } from './state.ts'

const extensions = [modelKey, nonInteractiveKey, externalSandboxKey, addDirsKey, resumeKey, forkKey]

/**
 * Claude Code, read from its stream of JSON lines. If it asks before it uses a tool, it accepts messages too.
 */
export const claudeCode: CliAgent<ClaudeState> = {
  kind: 'claude_code',
  title: 'Claude Code',
  label: 'claude_code',
  binary: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  versionArgs: ['--version'],
  capabilities: [...fullCapabilities, 'backend.claude_code.print_stream_json', ...extensions],
  rules: { kind: 'claude_code', extensions },
  escalation: usualEscalation,
  command: toCommand,
  mapper,
  classify,
  exitMessage,
}
