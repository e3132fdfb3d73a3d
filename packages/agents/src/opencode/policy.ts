import { backendError } from '../request/refusal.ts'
import { type RequestPolicy, usualPolicy } from '../request/request-policy.ts'

/**
 * The usual policy, except that it refuses to fork the last session. If there is none, `--continue --fork`
 * starts another session, which cannot be distinguished from a fork by its age.
 */
export const opencodePolicy: RequestPolicy = (input) => {
  const values = usualPolicy(input)
  if (values.fork?.selector === 'last') throw backendError('selector "last" unsupported for opencode fork')
  return values
}
