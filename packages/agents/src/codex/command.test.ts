import { SluiceError } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { checkRequest } from '../request/check-request.ts'
import { approvalPolicyKey, sandboxModeKey } from '../request/codex-policy.ts'
import { addDirsKey, externalSandboxKey, forkKey, modelKey, resumeKey } from '../request/extension-keys.ts'
import { toRequest } from '../testing/replay.ts'
import { toCommand } from './command.ts'
import { codex } from './index.ts'

const usual = ['exec', '--json', '--color=never', '--skip-git-repo-check']
const guarded = [...usual, '--sandbox=workspace-write', '--config=approval_policy="never"']

test.each([
  ['a plain run', {}, [...guarded, '-']],
  ['a model', { model: '-o3' }, [...guarded, '--model=-o3', '-']],
  ['directories', { addDirs: ['/a', '/b'] }, [...guarded, '--add-dir=/a', '--add-dir=/b', '-']],
  ['a session', { resume: { selector: 'id', id: '-x y' } }, [...guarded, 'resume', '--', '-x y', '-']],
  ['the last session', { resume: { selector: 'last' } }, [...guarded, 'resume', '--last', '-']],
  ['a branch', { fork: { selector: 'id', id: 't1' } }, [...guarded, 'fork', '--', 't1', '-']],
  ['no protection', { externalSandbox: true }, [...usual, '--dangerously-bypass-approvals-and-sandbox', '-']],
  [
    'protections of its own',
    { nonInteractive: false, own: { [approvalPolicyKey]: 'on-request', [sandboxModeKey]: 'read-only' } },
    [...usual, '--sandbox=read-only', '--config=approval_policy="on-request"', '-'],
  ],
  ['approvals as they are', { nonInteractive: false }, [...usual, '--sandbox=workspace-write', '-']],
] as const)('the command line of %s', (_, values, args) => {
  expect(toCommand(toRequest({ ...values, prompt: 'say\nhello' }))).toEqual({
    args,
    stdin: 'say\nhello',
    keepsStdin: false,
  })
})

describe('a request', () => {
  const check = (extensions: Readonly<Record<string, never>>) =>
    checkRequest({ prompt: 'go', extensions }, codex.rules, {
      cwd: '/',
      env: {},
      ceiling: { permissions: 'deny', requestsMayRaisePermissions: true },
    })
  const messageOf = (extensions: object): string => {
    try {
      check(extensions as Readonly<Record<string, never>>) // as it comes from outside
    } catch (error) {
      if (error instanceof SluiceError) return error.message
    }
    return 'taken'
  }

  test.each([
    [
      'a branch of the last session',
      { [forkKey]: { selector: 'last' } },
      'backend error: selector "last" unsupported for codex fork',
    ],
    [
      'a model in a branch',
      { [forkKey]: { selector: 'id', id: 'x' }, [modelKey]: 'm' },
      'backend error: model override unsupported for codex fork',
    ],
    [
      'directories in a branch',
      { [forkKey]: { selector: 'id', id: 'x' }, [addDirsKey]: { dirs: ['/'] } },
      'backend error: add_dirs unsupported for codex fork',
    ],
    ['the last session', { [resumeKey]: { selector: 'last' } }, 'taken'],
    ['no protection', { [externalSandboxKey]: true }, 'taken'],
    [
      'an unknown sandbox',
      { [sandboxModeKey]: 'SECRET' },
      `invalid request: ${sandboxModeKey} must be one of: read-only | workspace-write | danger-full-access`,
    ],
    [
      'an extension of another agent',
      { 'backend.claude_code.x': 1 },
      'unsupported capability for codex: backend.claude_code.x',
    ],
  ])('for %s', (_, extensions, message) => {
    expect(messageOf(extensions)).toBe(message)
  })

  test('has no extension that is not a capability', () => {
    expect(codex.capabilities).toEqual(expect.arrayContaining([...codex.rules.extensions]))
  })
})
