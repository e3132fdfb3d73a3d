import { readAddDirs } from './add-dirs.ts'
import type { CheckedRequest } from './checked-request.ts'
import { readExecPolicy } from './exec-policy.ts'
import { forkKey, resumeKey } from './extension-keys.ts'
import type { PolicyInput } from './policy-input.ts'
import { assertOneSelector, readSelector } from './selectors.ts'

/** The values that a policy reads. */
export type PolicyValues = Pick<
  CheckedRequest,
  'nonInteractive' | 'externalSandbox' | 'addDirs' | 'resume' | 'fork' | 'own'
>

/** How an agent reads its extensions. Throws the first error, in the agent's own order. */
export type RequestPolicy = (input: PolicyInput) => PolicyValues

/** The order of most agents: switches, sessions, directories. */
export const usualPolicy: RequestPolicy = (input) => {
  const { extensions } = input
  const exec = readExecPolicy(extensions, input)
  const resume = readSelector(extensions, resumeKey)
  const fork = readSelector(extensions, forkKey)
  assertOneSelector(extensions)
  return { ...exec, resume, fork, addDirs: readAddDirs(input), own: {} }
}
