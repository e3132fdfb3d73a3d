import { expect, test } from 'vitest'
import { checkRequest } from '../request/check-request.ts'
import { addDirsKey, forkKey, resumeKey } from '../request/extension-keys.ts'
import { toRequest } from '../testing/replay.ts'
import { toCommand } from './command.ts'
import { opencode } from './index.ts'

const usual = ['run', '--format=json', '--thinking']

test.each([
  ['a plain run', {}, 'deny', usual],
  ['one that would ask', {}, 'ask', usual],
  ['one that may do anything', {}, 'allow', [...usual, '--auto']],
  ['a model', { model: 'a/b' }, 'deny', [...usual, '--model=a/b']],
  ['a session', { resume: { selector: 'id', id: '-x y' } }, 'deny', [...usual, '--session=-x y']],
  ['the last session', { resume: { selector: 'last' } }, 'deny', [...usual, '--continue']],
  ['a branch', { fork: { selector: 'id', id: 's' } }, 'deny', [...usual, '--session=s', '--fork']],
] as const)('the command line of %s', (_, values, permissions, args) => {
  const request = toRequest({ ...values, prompt: '--say\nhello' })
  expect(toCommand(request, { permissions, askTimeoutMs: 1 })).toEqual({
    args,
    stdin: '--say\nhello',
    keepsStdin: false,
    env: { PWD: '/workspace' },
  })
})

test.each([
  [
    'a branch of the last session',
    { [forkKey]: { selector: 'last' } },
    'backend error: selector "last" unsupported for opencode fork',
  ],
  ['directories', { [addDirsKey]: { dirs: ['/'] } }, `unsupported capability for opencode: ${addDirsKey}`],
  [
    'a session and a branch',
    { [forkKey]: { selector: 'id', id: 'x' }, [resumeKey]: { selector: 'id', id: 'x' } },
    `invalid request: ${resumeKey} and ${forkKey} are mutually exclusive`,
  ],
])('a request is refused for %s', (_, extensions, message) => {
  expect(() => checkRequest({ prompt: 'go', extensions }, opencode.rules, { cwd: '/', env: {} })).toThrow(
    message,
  )
})
