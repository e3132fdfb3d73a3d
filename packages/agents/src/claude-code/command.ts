import type { CliCommand, CliOptions } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { runFailed } from '../run/create-run.ts'
import { hasSession } from './sessions.ts'

/**
 * Whether Claude Code asks before it uses a tool. If so, it reads JSON lines from an input that stays open.
 */
export function isAsking({ externalSandbox }: CheckedRequest, { permissions }: CliOptions): boolean {
  return permissions === 'ask' && !externalSandbox
}

/** How Claude Code is started. Throws `no session found` if there is no last session to resume or fork. */
export function toCommand(request: CheckedRequest, options: CliOptions): CliCommand {
  const { prompt, model, addDirs, externalSandbox } = request
  const asks = isAsking(request, options)
  const isFree = externalSandbox || options.permissions === 'allow'
  return {
    args: [
      '--print',
      '--output-format=stream-json',
      // Claude Code prints no stream without it.
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
      // Makes Claude Code report when it is really done: something in the background can start another turn.
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
      // As root, Claude Code drops its protections only if this says that something else protects.
      ...(externalSandbox ? { IS_SANDBOX: '1' } : {}),
      // `CLAUDECODE` makes it believe that it is part of another session; `NODE_OPTIONS` changes how it runs.
      CLAUDECODE: undefined,
      NODE_OPTIONS: undefined,
    },
  }
}

/** A user message as a line for standard input. With an id, Claude Code reports when it reads the message. */
export function toUserLine(text: string, uuid?: string): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content: text }, uuid })
}

function toSession(request: CheckedRequest): readonly string[] {
  const selector = request.resume ?? request.fork
  if (selector === undefined) return []
  // Claude Code would start another session, and nothing that it prints would show that.
  if (selector.selector === 'last' && !hasSession(request)) throw runFailed('no session found')
  return [
    // As a separate argument, the id could be read as an option.
    selector.selector === 'last' ? '--continue' : `--resume=${selector.id}`,
    ...(request.fork === undefined ? [] : ['--fork-session']),
  ]
}
