import type { CliAgent } from '../cli/cli-agent.ts'
import { usualEscalation } from '../process/end-group.ts'
import { runCapabilities } from '../request/capabilities.ts'
import { modelKey } from '../request/extension-keys.ts'
import { toCommand } from './command.ts'
import { exitMessage } from './failure.ts'
import { type AiderState, mapper } from './map.ts'

const extensions = [modelKey]

/** aider, read from the text that it prints, its only output. Its exit code says how the run went. */
export const aider: CliAgent<AiderState> = {
  kind: 'aider',
  title: 'aider',
  label: 'aider',
  binary: 'aider',
  install: 'python -m pip install aider-install && aider-install',
  versionArgs: ['--version'],
  capabilities: [
    ...runCapabilities,
    'agent_api.artifacts.final_text.v1',
    'backend.aider.text_mode',
    ...extensions,
  ],
  rules: { kind: 'aider', extensions },
  escalation: usualEscalation,
  command: toCommand,
  mapper,
  classify: () => undefined,
  exitMessage,
}
