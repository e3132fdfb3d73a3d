import type { ExitStatus } from '../process/spawn-group.ts'

/** What the errors of aider's model library mean. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['AuthenticationError', 'not authenticated'],
  ['PermissionDeniedError', 'permission denied'],
  ['RateLimitError', 'rate limited'],
  ['NotFoundError', 'model not found'],
  ['BadRequestError', 'request refused'],
  ['ContextWindowExceededError', 'context window exceeded'],
  ['ContentPolicyViolationError', 'content refused'],
  ['BudgetExceededError', 'budget exceeded'],
  ['Timeout', 'model timed out'],
  ['APIConnectionError', 'connection failed'],
])

/** The text for a provider error. The error's own text could contain anything. */
export function toReason(name: string): string {
  return reasons.get(name) ?? 'model provider failed'
}

export function toFailureMessage(reason: string): string {
  return `aider backend error: ${reason}`
}

export function exitMessage({ code, signal }: ExitStatus): string {
  return `aider exited non-zero: ${signal === null ? `code=${code}` : `signal=${signal}`} (output redacted)`
}
