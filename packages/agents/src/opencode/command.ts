import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest, Selector } from '../request/checked-request.ts'

/**
 * How OpenCode is started. Without a message in its arguments, it reads one from standard input, to its end.
 */
export function toCommand(request: CheckedRequest, { permissions }: CliOptions): CliCommand {
  const { prompt, cwd, model, resume, fork } = request
  const selector = resume ?? fork
  return {
    args: [
      'run',
      '--format=json',
      '--thinking',
      // It cannot ask here: it refuses anything that would need a person's permission.
      ...(permissions === 'allow' ? ['--auto'] : []),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(selector === undefined ? [] : [toFlag(selector)]),
      ...(fork === undefined ? [] : ['--fork']),
    ],
    stdin: prompt,
    keepsStdin: false,
    // OpenCode prefers this variable to the directory in which it was started.
    env: { PWD: cwd },
  }
}

function toFlag(selector: Selector): string {
  return selector.selector === 'id' ? `--session=${selector.id}` : '--continue'
}
