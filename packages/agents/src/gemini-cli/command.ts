import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/**
 * How Gemini CLI is started. Without `--prompt` it takes what comes on standard input as it is; with one, it would put
 * that behind it. It waits half a second for the first of it once it is up.
 */
export function toCommand(request: CheckedRequest, { permissions }: CliOptions): CliCommand {
  const { prompt, model, addDirs, resume } = request
  return {
    args: [
      '--output-format=stream-json',
      // It cannot ask here: what would need a person's permission is refused by itself.
      `--approval-mode=${permissions === 'allow' ? 'yolo' : 'default'}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...addDirs.map((dir) => `--include-directories=${dir}`),
      ...(resume?.selector === 'id' ? [`--resume=${resume.id}`] : []),
    ],
    stdin: prompt,
    keepsStdin: false,
    // Whoever configured the directory trusts it. Untrusted, it ends at once, or takes `yolo` for `default`.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }
}
