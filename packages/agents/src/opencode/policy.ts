import { backendError } from '../request/refusal.ts'
import { type RequestPolicy, usualPolicy } from '../request/request-policy.ts'

/**
 * The usual reading of a request, less a branch of the last session: where there is none, `--continue --fork` begins a
 * session of its own, and a branch is as young as that.
 */
export const opencodePolicy: RequestPolicy = (input) => {
  const values = usualPolicy(input)
  if (values.fork?.selector === 'last') throw backendError('selector "last" unsupported for opencode fork')
  return values
}
