import { codexPolicy } from '../request/codex-policy.ts'
import { backendError } from '../request/refusal.ts'
import type { RequestPolicy } from '../request/request-policy.ts'

/** Codex can fork a session only by its id: `codex exec fork` requires one. */
export const policy: RequestPolicy = (input) => {
  const values = codexPolicy(input)
  if (values.fork?.selector === 'last') throw backendError('selector "last" unsupported for codex fork')
  return values
}
