import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/**
 * How Gemini CLI is started. Without `--prompt` it takes standard input as the prompt, unchanged; with
 * `--prompt` it would join the two. It waits half a second for the first input after its start.
 */
export function toCommand(request: CheckedRequest, { permissions }: CliOptions): CliCommand {
  const { prompt, model, addDirs, resume } = request
  return {
    args: [
      '--output-format=stream-json',
      // It cannot ask here: it refuses anything that would need a person's permission.
      `--approval-mode=${permissions === 'allow' ? 'yolo' : 'default'}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...addDirs.map((dir) => `--include-directories=${dir}`),
      ...(resume?.selector === 'id' ? [`--resume=${resume.id}`] : []),
    ],
    stdin: prompt,
    keepsStdin: false,
    // The operator who configured the directory trusts it. In an untrusted one, Gemini CLI ends immediately,
    // or treats `yolo` as `default`.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }
}
