import type { ExitStatus } from '../process/spawn-group.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import type { NativeResult } from './native-result.ts'

const failed = (why: string): string => `claude_code failed: ${why}`

const modelRejected = 'claude_code backend error: model rejected by runtime (details redacted)'

/** Why the model did not answer. */
const byError: ReadonlyMap<string, string> = new Map([
  ['authentication_failed', failed('authentication failed')],
  ['cloud_credential_error', failed('authentication failed')],
  ['oauth_org_not_allowed', failed('organization not allowed')],
  ['account_on_hold', failed('account on hold')],
  ['verification_required', failed('account verification required')],
  ['billing_error', failed('billing error')],
  ['rate_limit', failed('rate limited')],
  ['overloaded', failed('model API overloaded')],
  ['server_error', failed('model API error')],
  ['invalid_request', failed('invalid request to the model API')],
  ['model_not_found', failed('model not found')],
  ['max_output_tokens', failed('answer too long')],
])

/** How an unsuccessful turn ended. */
const bySubtype: ReadonlyMap<string, string> = new Map([
  ['error_max_turns', failed('max turns')],
  ['error_max_budget_usd', failed('max budget')],
  ['error_max_structured_output_retries', failed('no structured output')],
])

const byReason: ReadonlyMap<string, string> = new Map([
  ['aborted_streaming', failed('interrupted')],
  ['aborted_tools', failed('interrupted')],
  ['prompt_too_long', failed('prompt too long')],
])

/** The failure of a result, as a constant text. `error` is why the model did not answer, if known. */
export function toFailure(
  { subtype, text, errors, status, reason }: NativeResult,
  error: string | undefined,
  request: CheckedRequest,
): string {
  const session = errors.map((line) => sessionFailure(line, request)).find((found) => found !== undefined)
  if (session !== undefined) return session
  const isModel = error === 'model_not_found' || text.startsWith("There's an issue with the selected model")
  if (isModel && request.model !== undefined) return modelRejected
  return (
    byError.get(error ?? '') ??
    bySubtype.get(subtype) ??
    (status === undefined ? undefined : failed(`model API error (status=${status})`)) ??
    byReason.get(reason) ??
    failed('error during execution')
  )
}

/** The failure that standard error shows, for a program that could not start. */
export function classify(stderr: string, request: CheckedRequest): string | undefined {
  for (const line of stderr.split('\n')) {
    const session = sessionFailure(line, request)
    if (session !== undefined) return session
    if (line.startsWith('--dangerously-skip-permissions cannot be used with root'))
      return 'claude_code backend error: permissions cannot be bypassed as root'
  }
  return undefined
}

export function exitMessage({ code, signal }: ExitStatus): string {
  const how = code === null ? `signal=${signal}` : `code=${code}`
  return `claude_code exited non-zero: ${how} (output redacted)`
}

/** The failure if this line says that the requested session does not exist. */
function sessionFailure(line: string, { resume, fork }: CheckedRequest): string | undefined {
  const selector = (resume ?? fork)?.selector
  if (
    selector === 'id' &&
    /^(?:No conversation found with session ID|Error: --resume requires a valid session ID)/.test(line)
  )
    return 'session not found'
  return selector === 'last' && line.startsWith('No conversation found to continue')
    ? 'no session found'
    : undefined
}
