import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/**
 * How aider is started. The prompt goes to standard input, as one message of several lines. aider can also
 * read a message from a file, but not from `/dev/stdin`, which is a socket here and cannot be opened (ENXIO).
 */
export function toCommand({ prompt, model }: CheckedRequest, { permissions }: CliOptions): CliCommand {
  return {
    args: [
      // Without it, a question at the start takes the prompt as its answer and the rest of the prompt as
      // commands.
      '--yes-always',
      ...(permissions === 'allow' ? [] : readOnly),
      '--stream',
      '--no-pretty',
      '--no-fancy-input',
      '--no-check-update',
      '--no-show-release-notes',
      '--no-show-model-warnings',
      '--no-suggest-shell-commands',
      '--no-detect-urls',
      '--no-gitignore',
      '--no-analytics',
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    stdin: toTyped(prompt),
    keepsStdin: false,
    env: {
      PYTHONUNBUFFERED: '1',
      PYTHONIOENCODING: 'utf-8',
      NO_COLOR: '1',
      // aider wraps lines at the width of the terminal, which it reads from this variable.
      COLUMNS: '100000',
      // With `--yes-always`, aider would open a web page about some errors. `true` opens none.
      BROWSER: 'true',
    },
  }
}

/**
 * aider cannot be made to refuse. With `--yes-always` it answers its questions with yes; without, the end of
 * the input selects their default, which is nearly always yes. So these options leave nothing to ask about:
 * aider only talks. It edits no file, commits nothing, creates no repository, and runs neither linters nor
 * tests.
 */
const readOnly = ['--chat-mode=ask', '--dry-run', '--no-git', '--no-auto-lint', '--no-auto-test'] as const

/** aider reads the lines between `{tag` and `tag}` as one message. The tag does not occur in the prompt. */
function toTyped(prompt: string): string {
  let tag = 'prompt'
  for (let n = 1; prompt.includes(tag); n++) tag = `prompt${n}`
  // A message that begins with one of these is a command for aider itself, or for the shell.
  const isCommand = /^[/!]/.test(prompt)
  return `{${tag}\n${isCommand ? '\n' : ''}${prompt}\n${tag}}\n`
}
