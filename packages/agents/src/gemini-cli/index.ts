import type { CliAgent } from '../cli/cli-agent.ts'
import { usualEscalation } from '../process/end-group.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import { addDirsKey, modelKey, resumeKey } from '../request/extension-keys.ts'
import { toCommand } from './command.ts'
import { classify, exitMessage } from './failure.ts'
import { type GeminiState, mapper } from './map.ts'
import { geminiPolicy } from './policy.ts'

const extensions = [modelKey, addDirsKey, resumeKey]

/** Gemini CLI, read from its stream of JSON lines. It resumes a session only by its id. */
export const geminiCli: CliAgent<GeminiState> = {
  kind: 'gemini_cli',
  title: 'Gemini CLI',
  label: 'gemini',
  binary: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  versionArgs: ['--version'],
  capabilities: [...fullCapabilities, ...extensions],
  rules: { kind: 'gemini_cli', extensions, policy: geminiPolicy },
  escalation: usualEscalation,
  command: toCommand,
  mapper,
  classify,
  exitMessage,
}
