import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { runFailed } from '../run/create-run.ts'
import { hasSession } from './sessions.ts'

/** Whether Claude Code asks before it uses a tool. Then it is spoken to in lines, and its standard input stays open. */
export function isAsking({ externalSandbox }: CheckedRequest, { permissions }: CliOptions): boolean {
  return permissions === 'ask' && !externalSandbox
}

/** How Claude Code is started. Fails with `no session found` where there is none to go on with. */
export function toCommand(request: CheckedRequest, options: CliOptions): CliCommand {
  const { prompt, model, addDirs, externalSandbox } = request
  const asks = isAsking(request, options)
  const isFree = externalSandbox || options.permissions === 'allow'
  return {
    args: [
      '--print',
      '--output-format=stream-json',
      // It prints no stream without it.
      '--verbose',
      '--include-partial-messages',
      ...(asks
        ? ['--input-format=stream-json', '--permission-prompt-tool=stdio', '--replay-user-messages']
        : []),
      ...(isFree ? ['--permission-mode=bypassPermissions'] : []),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...addDirs.map((dir) => `--add-dir=${dir}`),
      ...toSession(request),
    ],
    stdin: asks ? `${toUserLine(prompt)}\n` : prompt,
    keepsStdin: asks,
    env: {
      // It tells when it is really done: a turn may be followed by another that something in the background causes.
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
      // As root it gives up its protections only where it is told that something else protects.
      ...(externalSandbox ? { IS_SANDBOX: '1' } : {}),
      // With the one it takes itself for a part of another session, with the other it runs as something else.
      CLAUDECODE: undefined,
      NODE_OPTIONS: undefined,
    },
  }
}

/** A message of the user as a line of standard input. It is told when the message with this id is taken up. */
export function toUserLine(text: string, uuid?: string): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content: text }, uuid })
}

function toSession(request: CheckedRequest): readonly string[] {
  const selector = request.resume ?? request.fork
  if (selector === undefined) return []
  // It would begin a session of its own, and nothing that it prints says so.
  if (selector.selector === 'last' && !hasSession(request)) throw runFailed('no session found')
  return [
    // An id in an argument of its own could be taken for an option.
    selector.selector === 'last' ? '--continue' : `--resume=${selector.id}`,
    ...(request.fork === undefined ? [] : ['--fork-session']),
  ]
}
