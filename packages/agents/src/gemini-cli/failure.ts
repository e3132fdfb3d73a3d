import { toApiReason } from '../cli/api-reason.ts'
import type { ExitStatus } from '../process/spawn-group.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import type { NativeError } from './native.ts'

const failure = (what: string): string => `gemini backend error: ${what}`

/** The program ended before it was done, and did not say why. */
const unknown = failure('completion failed')
export const turnLimitExceeded = failure('turn limit exceeded')

const byType: ReadonlyMap<string, string> = new Map([
  ['FatalAuthenticationError', failure('authentication failed')],
  ['FatalInputError', failure('invalid input')],
  ['FatalSandboxError', failure('sandbox failed')],
  ['FatalConfigError', failure('invalid configuration')],
  ['FatalTurnLimitedError', turnLimitExceeded],
  ['FatalToolExecutionError', failure('tool execution failed')],
  ['FatalUntrustedWorkspaceError', failure('untrusted workspace')],
  ['FatalCancellationError', failure('interrupted')],
  ['UnauthorizedError', failure('authentication failed')],
  ['ValidationRequiredError', failure('account validation required')],
  ['ModelNotFoundError', failure('model rejected by runtime (details redacted)')],
  ['TerminalQuotaError', failure('quota exceeded')],
  ['RetryableQuotaError', failure(toApiReason(429))],
  ['INVALID_STREAM', failure('invalid response of the model')],
  ['InvalidStreamError', failure('invalid response of the model')],
  ['ApiError', failure(toApiReason(undefined))],
])

const byExitCode: ReadonlyMap<number, string> = new Map([
  [41, failure('authentication failed')],
  [42, failure('invalid input')],
  [44, failure('sandbox failed')],
  [52, failure('invalid configuration')],
  [53, turnLimitExceeded],
  [54, failure('tool execution failed')],
  [55, failure('untrusted workspace')],
  [130, failure('interrupted')],
])

/** The failure of a result, as a constant text. An API error has no type; its message contains the status. */
export function toFailure({ type, message }: NativeError): string {
  const status = /^\[API Error: \{"error":\{"code":(\d{3})\D/.exec(message)?.[1]
  if (status !== undefined) return failure(toApiReason(Number(status)))
  return byType.get(type) ?? unknown
}

/** The failure for an exit code: several kinds of failure print no result. */
export function exitMessage({ code }: ExitStatus): string {
  return byExitCode.get(code ?? 0) ?? unknown
}

/** Gemini CLI reports a session that does not exist only on standard error. */
export function classify(stderr: string, { resume }: CheckedRequest): string | undefined {
  if (resume === undefined) return undefined
  return /^(?:\[ERROR\] )?Error resuming session: (?:Invalid session identifier|No previous sessions found)/m.test(
    stderr,
  )
    ? 'session not found'
    : undefined
}
