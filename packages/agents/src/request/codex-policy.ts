import { readAddDirs } from './add-dirs.ts'
import { assertWithin } from './ceiling.ts'
import { readExecPolicy, readWord } from './exec-policy.ts'
import { forkKey, nonInteractiveKey, resumeKey } from './extension-keys.ts'
import type { PolicyInput } from './policy-input.ts'
import { backendError, invalidRequest } from './refusal.ts'
import type { RequestPolicy } from './request-policy.ts'
import { assertOneSelector, readSelector } from './selectors.ts'

export const approvalPolicyKey = 'backend.codex.exec.approval_policy'
export const sandboxModeKey = 'backend.codex.exec.sandbox_mode'
const approvalPolicies = ['untrusted', 'on-failure', 'on-request', 'never'] as const
const sandboxModes = ['read-only', 'workspace-write', 'danger-full-access'] as const

/** Codex looks at directories before sessions, and takes neither a model nor directories where it branches off. */
export const codexPolicy: RequestPolicy = (input) => {
  const { extensions, model } = input
  const exec = readExecPolicy(extensions, input)
  const own = readProtections(input, exec.nonInteractive)
  const addDirs = readAddDirs(input)
  const resume = readSelector(extensions, resumeKey)
  const fork = readSelector(extensions, forkKey)
  assertOneSelector(extensions)
  if (fork !== undefined && model !== undefined)
    throw backendError('model override unsupported for codex fork')
  if (fork !== undefined && addDirs.length > 0) throw backendError('add_dirs unsupported for codex fork')
  return { ...exec, addDirs, resume, fork, own }
}

/**
 * The sandbox and when codex asks to leave it. A policy that never asks is the lowest: what codex asks for may be granted
 * by a reviewer of its own configuration, and no person is asked here. Without a policy, that configuration decides.
 */
function readProtections(
  { extensions, ceiling }: PolicyInput,
  isNonInteractive: boolean,
): Readonly<Record<string, string>> {
  const approval = readWord(extensions, approvalPolicyKey, approvalPolicies)
  const sandbox = readWord(extensions, sandboxModeKey, sandboxModes)
  if (isNonInteractive && approval !== undefined && approval !== 'never')
    throw invalidRequest(`${approvalPolicyKey} must be "never" when ${nonInteractiveKey} is true`)
  if (sandbox === 'danger-full-access')
    assertWithin(ceiling, { key: sandboxModeKey, needs: 'allow', most: '"workspace-write"' })
  if (approval !== undefined && approval !== 'never')
    assertWithin(ceiling, { key: approvalPolicyKey, needs: 'allow', most: '"never"' })
  if (!isNonInteractive && approval === undefined)
    assertWithin(ceiling, { key: nonInteractiveKey, needs: 'allow', most: 'true' })
  return {
    ...(approval === undefined ? {} : { [approvalPolicyKey]: approval }),
    ...(sandbox === undefined ? {} : { [sandboxModeKey]: sandbox }),
  }
}
