import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CliOptions } from '../cli/cli-agent.ts'
import { toRequest } from '../testing/replay.ts'
import { toCommand } from './command.ts'

const usual = ['--print', '--output-format=stream-json', '--verbose', '--include-partial-messages']
const asking = [
  ...usual,
  '--input-format=stream-json',
  '--permission-prompt-tool=stdio',
  '--replay-user-messages',
]
const free = [...usual, '--permission-mode=bypassPermissions']
const env = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1', CLAUDECODE: undefined, NODE_OPTIONS: undefined }
const options = (permissions: CliOptions['permissions']): CliOptions => ({ permissions, askTimeoutMs: 1000 })

test.each([
  ['a plain run', 'deny', {}, usual],
  ['a run in which all is allowed', 'allow', {}, free],
  ['a model', 'deny', { model: '-m x' }, [...usual, '--model=-m x']],
  ['directories', 'deny', { addDirs: ['/a', '/b c'] }, [...usual, '--add-dir=/a', '--add-dir=/b c']],
  ['a session', 'deny', { resume: { selector: 'id', id: '-p' } }, [...usual, '--resume=-p']],
  ['a branch', 'deny', { fork: { selector: 'id', id: 's1' } }, [...usual, '--resume=s1', '--fork-session']],
] as const)('the command line of %s', (_, permissions, values, args) => {
  expect(toCommand(toRequest({ ...values, prompt: 'say\nhello' }), options(permissions))).toEqual({
    args,
    stdin: 'say\nhello',
    keepsStdin: false,
    env,
  })
})

test('a run that asks gets its prompt as a line, and its input stays open', () => {
  expect(toCommand(toRequest({ prompt: 'say\nhello' }), options('ask'))).toEqual({
    args: asking,
    stdin: '{"type":"user","message":{"role":"user","content":"say\\nhello"}}\n',
    keepsStdin: true,
    env,
  })
})

test('a run that something else protects asks nobody, and may be by root', () => {
  expect(toCommand(toRequest({ externalSandbox: true }), options('ask'))).toEqual({
    args: free,
    stdin: 'go',
    keepsStdin: false,
    env: { ...env, IS_SANDBOX: '1' },
  })
})

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-claude-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Creates a directory that has a session, and returns the directory. */
function makeSession(config: string, name: string): string {
  const cwd = join(folder, name)
  const kept = join(config, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-').slice(0, 200))
  mkdirSync(cwd, { recursive: true })
  mkdirSync(kept, { recursive: true })
  writeFileSync(join(kept, 's1.jsonl'), '')
  return cwd
}

const sessionArgs = (cwd: string, variables: Readonly<Record<string, string>>): readonly string[] =>
  toCommand(toRequest({ cwd, env: variables, fork: { selector: 'last' } }), options('deny')).args.slice(4)

test.each([
  ['in the home directory', 'a.b_c', '.claude', (home: string) => ({ HOME: home })],
  [
    'where it is configured',
    'work',
    'config',
    (home: string) => ({ CLAUDE_CONFIG_DIR: join(home, 'config') }),
  ],
  ['of a directory with a long name', 'long/'.repeat(60), '.claude', (home: string) => ({ HOME: home })],
])('the last session %s is gone on with', (_, name, config, variables) => {
  const cwd = makeSession(join(folder, config), name)
  const link = join(folder, 'link')
  symlinkSync(cwd, link)
  expect(sessionArgs(cwd, variables(folder))).toEqual(['--continue', '--fork-session'])
  expect(sessionArgs(link, variables(folder))).toEqual(['--continue', '--fork-session'])
})

test('there is no last session where none was kept', () => {
  const variables = { HOME: folder }
  const other = makeSession(join(folder, '.claude'), 'other')
  const empty = makeSession(join(folder, '.claude'), 'empty')
  rmSync(join(folder, '.claude', 'projects', empty.replaceAll(/[^a-zA-Z0-9]/g, '-'), 's1.jsonl'))
  expect(sessionArgs(other, variables)).toEqual(['--continue', '--fork-session'])
  for (const cwd of [empty, join(folder, 'never')])
    expect(() => sessionArgs(cwd, variables)).toThrow(
      expect.objectContaining({ code: 'run_failed', message: 'no session found' }),
    )
})
