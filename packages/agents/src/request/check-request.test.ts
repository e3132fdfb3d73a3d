import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JsonObject, RunRequest } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { checkRequest, type RequestRules } from './check-request.ts'
import type { RunDefaults } from './checked-request.ts'
import {
  addDirsKey,
  externalSandboxKey,
  forkKey,
  modelKey,
  nonInteractiveKey,
  resumeKey,
} from './extension-keys.ts'

const all = [addDirsKey, externalSandboxKey, forkKey, modelKey, nonInteractiveKey, resumeKey]
const rules: RequestRules = { kind: 'claude_code', extensions: all }
const defaults: RunDefaults = { cwd: '/', env: {} }
const check = (request: Partial<RunRequest>, given: Partial<RunDefaults> = {}, only = all) =>
  checkRequest({ prompt: 'hello', ...request }, { ...rules, extensions: only }, { ...defaults, ...given })
const refusal = (code: string, message: string) => expect.objectContaining({ code, message })
const last = { selector: 'last' }

test('a request without anything but a prompt gets what is usual', () => {
  expect(check({ prompt: ' hello \n' })).toEqual({
    prompt: ' hello \n',
    cwd: '/',
    timeoutMs: undefined,
    env: {},
    model: undefined,
    addDirs: [],
    nonInteractive: true,
    externalSandbox: false,
    resume: undefined,
    fork: undefined,
    own: {},
  })
})

test.each(['', ' ', '\n\t\u0085\u3000'])('the empty prompt %j goes before everything else', (prompt) => {
  const extensions = { 'backend.other.x': 1, [modelKey]: 7, [nonInteractiveKey]: 'x' }
  expect(() => check({ prompt, extensions, timeoutMs: -1 })).toThrow(
    refusal('invalid_run', 'invalid request: prompt must not be empty'),
  )
})

test('a prompt of a mark that is no white space is a prompt', () => {
  expect(check({ prompt: '\ufeff' }).prompt).toBe('\ufeff')
})

test.each<[JsonObject, string]>([
  [{ 'agent_api.none.v1': true }, 'agent_api.none.v1'],
  [{ zeta: 1, 'backend.codex.exec.sandbox_mode': 'x', [modelKey]: 7 }, 'backend.codex.exec.sandbox_mode'],
  // Exact: neither case nor white space is forgiven.
  [{ ' agent_api.config.model.v1': 'x' }, ' agent_api.config.model.v1'],
  [{ 'Agent_api.config.model.v1': 'x' }, 'Agent_api.config.model.v1'],
  [{ '\u{1d41a}': 1, '\uff5a': 1 }, '\uff5a'],
  [JSON.parse('{"__proto__":1}'), '__proto__'],
  [{ constructor: 1 }, 'constructor'],
])('of the extensions %j the first unknown one is refused by its name', (extensions, capability) => {
  expect(() => check({ extensions })).toThrow(
    refusal('unsupported_capability', `unsupported capability for claude_code: ${capability}`),
  )
})

test('an extension that the agent lacks goes before contradictions of those that it has', () => {
  const extensions = { [resumeKey]: last, [forkKey]: last }
  for (const missing of [resumeKey, forkKey])
    expect(() =>
      check(
        { extensions },
        {},
        all.filter((key) => key !== missing),
      ),
    ).toThrow(refusal('unsupported_capability', `unsupported capability for claude_code: ${missing}`))
  expect(() => check({ extensions })).toThrow(
    refusal('invalid_run', `invalid request: ${resumeKey} and ${forkKey} are mutually exclusive`),
  )
})

// Each row has more than one error; the first must be reported.
test.each<[JsonObject, string]>([
  [{ [modelKey]: '', [nonInteractiveKey]: 7 }, `invalid ${modelKey}`],
  [{ [nonInteractiveKey]: 7, [externalSandboxKey]: 7 }, `${nonInteractiveKey} must be a boolean`],
  [
    { [nonInteractiveKey]: false, [externalSandboxKey]: true, [resumeKey]: 7 },
    `${externalSandboxKey}=true must not be combined with ${nonInteractiveKey}=false`,
  ],
  [{ [resumeKey]: 7, [forkKey]: 7 }, `${resumeKey} must be an object`],
  [{ [resumeKey]: last, [forkKey]: 7, [addDirsKey]: 7 }, `${forkKey} must be an object`],
  [
    { [resumeKey]: last, [forkKey]: last, [addDirsKey]: 7 },
    `${resumeKey} and ${forkKey} are mutually exclusive`,
  ],
  [{ [addDirsKey]: 7 }, `invalid ${addDirsKey}`],
])('what is wrong with %j is told in the usual order', (extensions, message) => {
  expect(() => check({ extensions, timeoutMs: -1 })).toThrow(
    refusal('invalid_run', `invalid request: ${message}`),
  )
})

test.each<[number | undefined, number | undefined, number | undefined]>([
  [undefined, undefined, undefined],
  [undefined, 0, undefined],
  [0, undefined, undefined],
  [7, undefined, 7],
  [undefined, 9, 9],
  [7, 9, 7],
  [11, 9, 9],
  [0, 9, 9],
  [11, 0, 11],
  [2 ** 40, undefined, 2 ** 31 - 1],
])('asked for %j ms, with %j ms configured, a run has %j ms', (asked, longest, timeoutMs) => {
  const request = asked === undefined ? {} : { timeoutMs: asked }
  expect(check(request, longest === undefined ? {} : { timeoutMs: longest }).timeoutMs).toBe(timeoutMs)
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a time of %j ms is refused', (timeoutMs) => {
  expect(() => check({ timeoutMs })).toThrow(
    refusal('invalid_run', 'invalid request: timeoutMs must be a whole number of milliseconds'),
  )
})

test('variables of the request go before configured ones, and both are left as they are', () => {
  const env = { A: 'configured', B: 'configured' }
  const own = { B: 'asked', C: 'asked' }
  expect(check({ env: own }, { env }).env).toEqual({ A: 'configured', B: 'asked', C: 'asked' })
  expect(env).toEqual({ A: 'configured', B: 'configured' })
  expect(check({ env: JSON.parse('{"__proto__":"x"}') }).env).toEqual(JSON.parse('{"__proto__":"x"}'))
})

test('a model of the request goes before the configured one', () => {
  expect(check({}, { model: 'usual' }).model).toBe('usual')
  expect(check({ extensions: { [modelKey]: ' asked ' } }, { model: 'usual' }).model).toBe('asked')
})

test('a relative directory is one of the process at the moment of the call', () => {
  const before = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cwd-'))
  try {
    process.chdir(folder)
    const here = process.cwd()
    const asked = check({ workingDir: 'x/../y', extensions: { [addDirsKey]: { dirs: [here] } } })
    const configured = check({}, { cwd: 'z' })
    process.chdir(before)
    expect(asked).toMatchObject({ cwd: join(here, 'y'), addDirs: [here] })
    expect(configured.cwd).toBe(join(here, 'z'))
    expect(check({ workingDir: '/w' }, { cwd: 'z' }).cwd).toBe(resolve('/w'))
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  }
})

test('further directories are relative to the working directory', () => {
  const extensions = { [addDirsKey]: { dirs: ['.', '..'] } }
  expect(check({ workingDir: tmpdir(), extensions }).addDirs).toEqual([tmpdir(), resolve(tmpdir(), '..')])
})

test('whatever the values of extensions are, they are taken or refused, and never told', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { selector: fc.constantFrom('last', 'id', 'SECRET'), id: fc.constantFrom('SECRET', '', 7) },
      { requiredKeys: [] },
    ),
    fc.record({ dirs: fc.array(fc.constantFrom('SECRET', '.', '', 7), { maxLength: 18 }) }),
    fc.boolean(),
    fc.constant('SECRET'.repeat(30)),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...all), value), (extensions) => {
      try {
        const { addDirs } = check({ extensions: extensions as JsonObject }) // made of JSON values
        expect(addDirs.every((dir) => dir.startsWith('/'))).toBe(true)
      } catch (error) {
        expect(['invalid_run', 'run_not_permitted']).toContain(Reflect.get(Object(error), 'code'))
        expect(String(error)).not.toContain('SECRET')
      }
    }),
    { numRuns: runs(500) },
  )
})
