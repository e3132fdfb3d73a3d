import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest, Selector } from '../request/checked-request.ts'

/** How OpenCode is started. Without a message among its arguments it takes what comes on standard input, to its end. */
export function toCommand(request: CheckedRequest, { permissions }: CliOptions): CliCommand {
  const { prompt, cwd, model, resume, fork } = request
  const selector = resume ?? fork
  return {
    args: [
      'run',
      '--format=json',
      '--thinking',
      // It cannot ask here: what would need a person's permission is refused by itself.
      ...(permissions === 'allow' ? ['--auto'] : []),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(selector === undefined ? [] : [toFlag(selector)]),
      ...(fork === undefined ? [] : ['--fork']),
    ],
    stdin: prompt,
    keepsStdin: false,
    // It goes by this variable before it looks at the directory that it was started in.
    env: { PWD: cwd },
  }
}

function toFlag(selector: Selector): string {
  return selector.selector === 'id' ? `--session=${selector.id}` : '--continue'
}
