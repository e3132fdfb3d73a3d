import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/**
 * How aider is called. The prompt is typed to it, as one message of several lines: it reads a message from a file too,
 * but not from `/dev/stdin`, which is a socket here and cannot be opened (ENXIO).
 */
export function toCommand({ prompt, model }: CheckedRequest, { permissions }: CliOptions): CliCommand {
  return {
    args: [
      // Without it, a question at the start reads the prompt as its answer, and the rest of the prompt as commands.
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
      // It wraps lines at the width of a terminal, and takes this for it.
      COLUMNS: '100000',
      // It opens a page about some errors, because it is to say yes to everything.
      BROWSER: 'true',
    },
  }
}

/**
 * Aider cannot be made to refuse: its questions are answered with yes, and without `--yes-always` the end of the input
 * answers them with their default, which is yes for nearly all. So nothing is left that it could ask about: it talks,
 * edits no file, commits nothing, makes no repository, and runs neither linters nor tests.
 */
const readOnly = ['--chat-mode=ask', '--dry-run', '--no-git', '--no-auto-lint', '--no-auto-test'] as const

/** Lines between `{tag` and `tag}` are one message. The tag is a word that the prompt does not have. */
function toTyped(prompt: string): string {
  let tag = 'prompt'
  for (let n = 1; prompt.includes(tag); n++) tag = `prompt${n}`
  // A message that begins with one of these is a command to aider itself, or to the shell.
  const isCommand = /^[/!]/.test(prompt)
  return `{${tag}\n${isCommand ? '\n' : ''}${prompt}\n${tag}}\n`
}
