import type { JsonObject } from '@sluice/protocol'
import { readAddDirs } from './add-dirs.ts'
import type { Ceiling } from './ceiling.ts'
import type { CheckedRequest } from './checked-request.ts'
import { readExecPolicy } from './exec-policy.ts'
import { forkKey, resumeKey } from './extension-keys.ts'
import { assertOneSelector, readSelector } from './selectors.ts'

/** What a policy looks at: all extensions are ones that the agent has. */
export interface PolicyInput {
  readonly kind: string
  readonly extensions: JsonObject
  /** Directories that were checked already. */
  readonly addDirs: readonly string[] | undefined
  /** Absolute. */
  readonly cwd: string
  /** The model that the request itself names. */
  readonly model: string | undefined
  readonly ceiling: Ceiling
}

/** What a policy finds. */
export type PolicyValues = Pick<
  CheckedRequest,
  'nonInteractive' | 'externalSandbox' | 'addDirs' | 'resume' | 'fork' | 'own'
>

/** How an agent reads its extensions. The first thing that is wrong, in the agent's own order, is thrown. */
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
