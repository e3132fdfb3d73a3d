import type { JsonObject } from '@sluice/protocol'
import { expect, test } from 'vitest'
import type { Ceiling } from './ceiling.ts'
import { externalSandboxWarning, readExecPolicy, readWord } from './exec-policy.ts'
import { externalSandboxKey, nonInteractiveKey } from './extension-keys.ts'

const free: Ceiling = { permissions: 'deny', requestsMayRaisePermissions: true }

test.each<[JsonObject, boolean, boolean]>([
  [{}, true, false],
  [{ [nonInteractiveKey]: false }, false, false],
  [{ [nonInteractiveKey]: true }, true, false],
  [{ [externalSandboxKey]: true }, true, true],
  [{ [externalSandboxKey]: false, [nonInteractiveKey]: false }, false, false],
  [{ [externalSandboxKey]: false, 'backend.codex.exec.sandbox_mode': 'read-only' }, true, false],
  // Another agent's keys do not conflict here; they are refused by name.
  [{ [externalSandboxKey]: true, 'backend.other.exec.x': 1 }, true, true],
])('the switches of %j', (extensions, nonInteractive, externalSandbox) => {
  expect(readExecPolicy(extensions, { kind: 'codex', ceiling: free })).toEqual({
    nonInteractive,
    externalSandbox,
  })
})

test.each<[JsonObject, string]>([
  [{ [nonInteractiveKey]: 'SECRET' }, `${nonInteractiveKey} must be a boolean`],
  [{ [nonInteractiveKey]: null }, `${nonInteractiveKey} must be a boolean`],
  [{ [externalSandboxKey]: 1 }, `${externalSandboxKey} must be a boolean`],
  // Types are checked before conflicts, and the first switch before the second.
  [{ [externalSandboxKey]: 1, [nonInteractiveKey]: 1 }, `${nonInteractiveKey} must be a boolean`],
  [
    { [externalSandboxKey]: true, [nonInteractiveKey]: false, 'backend.codex.exec.x': 1 },
    `${externalSandboxKey}=true must not be combined with ${nonInteractiveKey}=false`,
  ],
  [
    { [externalSandboxKey]: true, 'backend.codex.exec.sandbox_mode': 7 },
    `${externalSandboxKey}=true must not be combined with backend.codex.exec.* keys`,
  ],
])('the switches of %j are refused', (extensions, message) => {
  expect(() => readExecPolicy(extensions, { kind: 'codex', ceiling: free })).toThrow(
    expect.objectContaining({ code: 'invalid_run', message: `invalid request: ${message}` }),
  )
})

test('a word is one of those that are known, and is not told otherwise', () => {
  const words = ['one', 'two'] as const
  expect(readWord({}, 'k', words)).toBeUndefined()
  expect(readWord({ k: 'two' }, 'k', words)).toBe('two')
  expect(() => readWord({ k: 2 }, 'k', words)).toThrow('invalid request: k must be a string')
  expect(() => readWord({ k: 'SECRET' }, 'k', words)).toThrow(
    /^invalid request: k must be one of: one \| two$/,
  )
})

test('the warning of an external sandbox is pinned', () => {
  expect(externalSandboxWarning).toBe(
    'DANGEROUS: external sandbox exec policy enabled (agent_api.exec.external_sandbox.v1=true)',
  )
})
