import type { CliAgent } from '../cli/cli-agent.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import { approvalPolicyKey, sandboxModeKey } from '../request/codex-policy.ts'
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
import { type CodexState, mapper } from './map.ts'
import { policy } from './policy.ts'

const extensions = [
  modelKey,
  nonInteractiveKey,
  externalSandboxKey,
  addDirsKey,
  resumeKey,
  forkKey,
  approvalPolicyKey,
  sandboxModeKey,
]

/** Codex, read from the JSON lines of `codex exec`. */
export const codex: CliAgent<CodexState> = {
  kind: 'codex',
  title: 'Codex',
  label: 'codex',
  binary: 'codex',
  install: 'npm install -g @openai/codex',
  versionArgs: ['--version'],
  capabilities: [...fullCapabilities, 'backend.codex.exec_stream', ...extensions],
  rules: { kind: 'codex', extensions, policy },
  // SIGINT lets codex end its turn and keep its session.
  escalation: [
    { signal: 'SIGINT', graceMs: 3000 },
    { signal: 'SIGTERM', graceMs: 3000 },
  ],
  command: toCommand,
  mapper,
  classify,
  exitMessage,
}
