import { omitUndefined } from '@sluice/protocol'
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

/** Codex checks directories before sessions, and for a fork accepts neither a model nor directories. */
export const codexPolicy: RequestPolicy = (input) => {
  const { extensions, model } = input
  const exec = readExecPolicy(extensions, input)
  const own = readProtections(input, exec)
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
 * The sandbox, and when codex asks to leave it. The lowest policy never asks: a reviewer in codex's own
 * configuration could grant its requests, without asking any person here. Without a policy, that
 * configuration decides.
 */
function readProtections(
  { extensions, ceiling }: PolicyInput,
  { nonInteractive }: { readonly nonInteractive: boolean },
): Readonly<Record<string, string>> {
  const approval = readWord(extensions, approvalPolicyKey, approvalPolicies)
  const sandbox = readWord(extensions, sandboxModeKey, sandboxModes)
  if (nonInteractive && approval !== undefined && approval !== 'never')
    throw invalidRequest(`${approvalPolicyKey} must be "never" when ${nonInteractiveKey} is true`)
  if (sandbox === 'danger-full-access')
    assertWithin(ceiling, { key: sandboxModeKey, needs: 'allow', most: '"workspace-write"' })
  if (approval !== undefined && approval !== 'never')
    assertWithin(ceiling, { key: approvalPolicyKey, needs: 'allow', most: '"never"' })
  if (!nonInteractive && approval === undefined)
    assertWithin(ceiling, { key: nonInteractiveKey, needs: 'allow', most: 'true' })
  return omitUndefined({ [approvalPolicyKey]: approval, [sandboxModeKey]: sandbox })
}
