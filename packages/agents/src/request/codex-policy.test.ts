import { tmpdir } from 'node:os'
import type { JsonObject } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { checkRequest } from './check-request.ts'
import { approvalPolicyKey, codexPolicy, sandboxModeKey } from './codex-policy.ts'
import {
  addDirsKey,
  externalSandboxKey,
  forkKey,
  modelKey,
  nonInteractiveKey,
  resumeKey,
} from './extension-keys.ts'

const rules = {
  kind: 'codex',
  extensions: [
    addDirsKey,
    approvalPolicyKey,
    externalSandboxKey,
    forkKey,
    modelKey,
    nonInteractiveKey,
    resumeKey,
    sandboxModeKey,
  ],
  policy: codexPolicy,
}
const check = (extensions: JsonObject) =>
  checkRequest({ prompt: 'hello', extensions }, rules, {
    cwd: tmpdir(),
    env: {},
    model: 'usual',
    ceiling: { permissions: 'allow' },
  })
const last = { selector: 'last' }
const dirs = { dirs: ['.'] }
const badDirs = { dirs: [] }

test('codex takes its own extensions as they are', () => {
  const own = { [approvalPolicyKey]: 'never', [sandboxModeKey]: 'read-only' }
  expect(check(own).own).toEqual(own)
  expect(check({}).own).toEqual({})
  expect(check({ [approvalPolicyKey]: 'on-request', [nonInteractiveKey]: false }).own).toEqual({
    [approvalPolicyKey]: 'on-request',
  })
})

test('a configured model is no hindrance for a fork', () => {
  expect(check({ [forkKey]: last })).toMatchObject({ fork: last, model: 'usual' })
})

// Each row has more than one error; the first must be reported.
test.each<[JsonObject, string, string]>([
  [{ [modelKey]: 7, [nonInteractiveKey]: 7 }, 'invalid_run', `invalid ${modelKey}`],
  [
    { [externalSandboxKey]: true, [approvalPolicyKey]: 'SECRET' },
    'invalid_run',
    `${externalSandboxKey}=true must not be combined with backend.codex.exec.* keys`,
  ],
  [
    { [approvalPolicyKey]: 'SECRET', [sandboxModeKey]: 'SECRET' },
    'invalid_run',
    `${approvalPolicyKey} must be one of: untrusted | on-failure | on-request | never`,
  ],
  [
    { [approvalPolicyKey]: 'untrusted', [sandboxModeKey]: 'SECRET' },
    'invalid_run',
    `${sandboxModeKey} must be one of: read-only | workspace-write | danger-full-access`,
  ],
  [
    { [approvalPolicyKey]: 'untrusted', [addDirsKey]: badDirs },
    'invalid_run',
    `${approvalPolicyKey} must be "never" when ${nonInteractiveKey} is true`,
  ],
  [{ [addDirsKey]: badDirs, [resumeKey]: 7 }, 'invalid_run', `invalid ${addDirsKey}.dirs`],
  [{ [resumeKey]: 7, [forkKey]: 7 }, 'invalid_run', `${resumeKey} must be an object`],
  [{ [resumeKey]: last, [forkKey]: 7 }, 'invalid_run', `${forkKey} must be an object`],
  [
    { [resumeKey]: last, [forkKey]: last, [modelKey]: 'm' },
    'invalid_run',
    `${resumeKey} and ${forkKey} are mutually exclusive`,
  ],
  [
    { [forkKey]: last, [modelKey]: 'm', [addDirsKey]: dirs },
    'run_failed',
    'model override unsupported for codex fork',
  ],
  [{ [forkKey]: last, [addDirsKey]: dirs }, 'run_failed', 'add_dirs unsupported for codex fork'],
])('codex refuses %j in its own order', (extensions, code, message) => {
  const kind = code === 'run_failed' ? 'backend error' : 'invalid request'
  expect(() => check(extensions)).toThrow(expect.objectContaining({ code, message: `${kind}: ${message}` }))
})
