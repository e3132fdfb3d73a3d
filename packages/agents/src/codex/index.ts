import type { CliAgent } from '../cli/cli-agent.ts'
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

/** Codex, by the JSON lines of `codex exec`. */
export const codex: CliAgent<CodexState> = {
  kind: 'codex',
  title: 'Codex',
  label: 'codex',
  binary: 'codex',
  install: 'npm install -g @openai/codex',
  versionArgs: ['--version'],
  capabilities: [
    'agent_api.run',
    'agent_api.events',
    'agent_api.events.live',
    'agent_api.control.cancel.v1',
    'agent_api.session.handle.v1',
    'agent_api.tools.structured.v1',
    'agent_api.tools.results.v1',
    'agent_api.artifacts.final_text.v1',
    'backend.codex.exec_stream',
    ...extensions,
  ],
  rules: { kind: 'codex', extensions, policy },
  // The first lets it end its turn and keep its session.
  escalation: [
    { signal: 'SIGINT', graceMs: 3000 },
    { signal: 'SIGTERM', graceMs: 3000 },
  ],
  command: toCommand,
  mapper,
  classify,
  exitMessage,
}
