import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@sluice/protocol'
import { afterAll, expect, test } from 'vitest'
import { checkRequest } from '../request/check-request.ts'
import { addDirsKey, forkKey, resumeKey } from '../request/extension-keys.ts'
import { toRequest } from '../testing/replay.ts'
import { toCommand } from './command.ts'
import { geminiCli } from './index.ts'

const usual = ['--output-format=stream-json', '--approval-mode=default']
const folder = mkdtempSync(join(tmpdir(), 'sluice-gemini-'))
mkdirSync(join(folder, 'a,', 'etc'), { recursive: true })
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['a plain run', {}, 'deny', usual],
  ['one that would ask', {}, 'ask', usual],
  ['one that may do anything', {}, 'allow', ['--output-format=stream-json', '--approval-mode=yolo']],
  ['a model', { model: '-pro' }, 'deny', [...usual, '--model=-pro']],
  [
    'directories',
    { addDirs: ['/a', '/b c'] },
    'deny',
    [...usual, '--include-directories=/a', '--include-directories=/b c'],
  ],
  ['a session', { resume: { selector: 'id', id: '-x y' } }, 'deny', [...usual, '--resume=-x y']],
] as const)('the command line of %s', (_, values, permissions, args) => {
  const request = toRequest({ ...values, prompt: '--say\nhello' })
  expect(toCommand(request, { permissions, askTimeoutMs: 1 })).toEqual({
    args,
    stdin: '--say\nhello',
    keepsStdin: false,
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  })
})

const check = (extensions: JsonObject) => () =>
  checkRequest({ prompt: 'go', extensions }, geminiCli.rules, { cwd: folder, env: {} })

test.each<[string, JsonObject, string]>([
  [
    'the last session, of which there may be none',
    { [resumeKey]: { selector: 'last' } },
    'backend error: selector "last" unsupported for gemini_cli resume',
  ],
  ...[' latest', '12 '].map((id): [string, JsonObject, string] => [
    `the session ${JSON.stringify(id)}, which a program may take for another`,
    { [resumeKey]: { selector: 'id', id } },
    `${resumeKey}.id must not begin or end with white space`,
  ]),
  ...['latest', 'Latest', '1'].map((id): [string, JsonObject, string] => [
    `the session ${JSON.stringify(id)}, which is no id but a place in a list`,
    { [resumeKey]: { selector: 'id', id } },
    'backend error: session id unsupported for gemini_cli resume',
  ]),
  [
    'a directory that would become two',
    { [addDirsKey]: { dirs: ['a,/etc'] } },
    'backend error: add_dirs rejected by runtime',
  ],
  [
    'a branch',
    { [forkKey]: { selector: 'id', id: 'x' } },
    `unsupported capability for gemini_cli: ${forkKey}`,
  ],
])('a request is refused for %s', (_, extensions, message) => {
  expect(check(extensions)).toThrow(message)
})

test('a request with directories and a session is taken', () => {
  const taken = check({
    [addDirsKey]: { dirs: ['.'] },
    [resumeKey]: { selector: 'id', id: 'x' },
  })()
  expect(taken).toMatchObject({ addDirs: [folder], resume: { selector: 'id', id: 'x' } })
})
