import { readAddDirs } from './add-dirs.ts'
import { readExecPolicy, readWord } from './exec-policy.ts'
import { forkKey, nonInteractiveKey, resumeKey } from './extension-keys.ts'
import { backendError, invalidRequest } from './refusal.ts'
import type { RequestPolicy } from './request-policy.ts'
import { assertOneSelector, readSelector } from './selectors.ts'

export const approvalPolicyKey = 'backend.codex.exec.approval_policy'
export const sandboxModeKey = 'backend.codex.exec.sandbox_mode'
const approvalPolicies = ['untrusted', 'on-failure', 'on-request', 'never'] as const
const sandboxModes = ['read-only', 'workspace-write', 'danger-full-access'] as const

/** Codex looks at directories before sessions, and takes neither a model nor directories where it branches off. */
export const codexPolicy: RequestPolicy = ({ kind, extensions, cwd, model }) => {
  const exec = readExecPolicy(extensions, kind)
  const approval = readWord(extensions, approvalPolicyKey, approvalPolicies)
  const sandbox = readWord(extensions, sandboxModeKey, sandboxModes)
  if (exec.nonInteractive && approval !== undefined && approval !== 'never')
    throw invalidRequest(`${approvalPolicyKey} must be "never" when ${nonInteractiveKey} is true`)
  const addDirs = readAddDirs(extensions, cwd)
  const resume = readSelector(extensions, resumeKey)
  const fork = readSelector(extensions, forkKey)
  assertOneSelector(extensions)
  if (fork !== undefined && model !== undefined)
    throw backendError('model override unsupported for codex fork')
  if (fork !== undefined && addDirs.length > 0) throw backendError('add_dirs unsupported for codex fork')
  const own = {
    ...(approval === undefined ? {} : { [approvalPolicyKey]: approval }),
    ...(sandbox === undefined ? {} : { [sandboxModeKey]: sandbox }),
  }
  return { ...exec, addDirs, resume, fork, own }
}
