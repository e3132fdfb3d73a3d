import { type JsonObject, omitUndefined, type RunRequest, SluiceError } from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acpAgent } from '../acp/index.ts'
import { aider } from '../aider/index.ts'
import { claudeCode } from '../claude-code/index.ts'
import type { CliAgent, CliCommand } from '../cli/cli-agent.ts'
import { codex } from '../codex/index.ts'
import { geminiCli } from '../gemini-cli/index.ts'
import { opencode } from '../opencode/index.ts'
import { runs } from '../testing/runs.ts'
import type { Ceiling, Permissions } from './ceiling.ts'
import { checkRequest } from './check-request.ts'
import { approvalPolicyKey, sandboxModeKey } from './codex-policy.ts'
import {
  addDirsKey,
  externalSandboxKey,
  forkKey,
  modelKey,
  nonInteractiveKey,
  resumeKey,
} from './extension-keys.ts'

type Commanded = Pick<CliAgent<unknown>, 'kind' | 'rules' | 'command'>

const agents: readonly Commanded[] = [
  claudeCode,
  codex,
  geminiCli,
  opencode,
  aider,
  acpAgent({ kind: 'acp', command: ['program', '--acp'] }),
]
const allPermissions: readonly Permissions[] = ['deny', 'ask', 'allow']

/** The command line of a request, or the code with which it is refused. */
function commandOf(agent: Commanded, request: Partial<RunRequest>, ceiling: Ceiling): CliCommand | string {
  try {
    const checked = checkRequest({ prompt: 'go', ...request }, agent.rules, { cwd: '/', env: {}, ceiling })
    return agent.command(checked, { askTimeoutMs: 1, ...ceiling })
  } catch (error) {
    if (error instanceof SluiceError) return error.code
    throw error
  }
}

// What bounds the values of each extension. Nobody has considered a missing one.
const bounds: Readonly<Record<string, string>> = {
  [modelKey]: 'a choice: it decides who answers, not what may be done',
  [nonInteractiveKey]: 'permissions',
  [externalSandboxKey]: 'the opt-in',
  [approvalPolicyKey]: 'permissions',
  [sandboxModeKey]: 'permissions',
  [addDirsKey]: 'workingDirs, in the gateway',
  [resumeKey]: 'sessions that runs recorded, in the gateway',
  [forkKey]: 'sessions that runs recorded, in the gateway',
}

test('every extension of every agent has something that bounds it', () => {
  const keys = new Set(agents.flatMap(({ rules }) => rules.extensions))
  expect([...keys].sort()).toEqual(Object.keys(bounds).sort())
})

/** Arguments that remove protections, or may do so. */
const freeing =
  /bypass|danger-full-access|dangerously|yolo|^--auto$|^--yes|approval_policy="(?!never")|skip-permissions/

function freedomOf({ args, env = {} }: CliCommand): readonly string[] {
  // aider answers all of its own questions with yes. With these arguments it changes nothing, whatever the
  // answer is.
  const isHarmless = ['--chat-mode=ask', '--dry-run', '--no-git'].every((arg) => args.includes(arg))
  return [
    ...args.filter((arg) => freeing.test(arg) && !(isHarmless && arg === '--yes-always')),
    ...(env['IS_SANDBOX'] === undefined ? [] : ['IS_SANDBOX']),
  ]
}

test.each(agents)('the configuration of $kind frees it only with permissions allow', (agent) => {
  for (const permissions of ['deny', 'ask'] as const) {
    const command = commandOf(agent, {}, { permissions })
    expect(typeof command === 'string' ? command : freedomOf(command)).toEqual([])
  }
})

describe('a request', () => {
  const values: Readonly<Record<string, readonly JsonObject[string][]>> = {
    [modelKey]: ['opus'],
    [nonInteractiveKey]: [true, false],
    [externalSandboxKey]: [true, false],
    [approvalPolicyKey]: ['untrusted', 'on-failure', 'on-request', 'never'],
    [sandboxModeKey]: ['read-only', 'workspace-write', 'danger-full-access'],
    [addDirsKey]: [{ dirs: ['/'] }],
    [resumeKey]: [{ selector: 'id', id: 'x' }, { selector: 'last' }],
    [forkKey]: [{ selector: 'id', id: 'x' }, { selector: 'last' }],
  }
  const extensionsOf = (agent: Commanded) =>
    fc.record(
      Object.fromEntries(agent.rules.extensions.map((key) => [key, fc.constantFrom(...(values[key] ?? []))])),
      { requiredKeys: [] },
    )

  test.each(agents)('of $kind is never freer than its configuration', (agent) => {
    fc.assert(
      fc.property(extensionsOf(agent), fc.constantFrom(...allPermissions), (extensions, permissions) => {
        const command = commandOf(agent, { extensions }, { permissions })
        if (typeof command === 'string') return
        const configured = commandOf(agent, {}, { permissions })
        const free = freedomOf(command)
        const usual = typeof configured === 'string' ? [] : freedomOf(configured)
        // The configuration allows everything, but does not say that anything else protects.
        if (permissions === 'allow') expect(free.join()).not.toMatch(/dangerously|IS_SANDBOX/)
        else expect(free).toEqual(usual)
        if (agent.kind === 'codex' && permissions !== 'allow')
          expect(command.args).toContain('--config=approval_policy="never"')
      }),
      { numRuns: runs(400) },
    )
  })

  test.each([
    [claudeCode, externalSandboxKey, { [externalSandboxKey]: true }, 'false'],
    [codex, externalSandboxKey, { [externalSandboxKey]: true }, 'false'],
    [codex, sandboxModeKey, { [sandboxModeKey]: 'danger-full-access' }, '"workspace-write"'],
    [codex, approvalPolicyKey, { [approvalPolicyKey]: 'on-request', [nonInteractiveKey]: false }, '"never"'],
    [codex, nonInteractiveKey, { [nonInteractiveKey]: false }, 'true'],
  ] as const)(
    'of $kind above the ceiling is refused by $1, with the rule and the opt-in',
    (agent, key, extensions, most) => {
      const check = (ceiling?: Ceiling) =>
        checkRequest({ prompt: 'go', extensions }, agent.rules, {
          cwd: '/',
          env: {},
          ...omitUndefined({ ceiling }),
        })
      for (const ceiling of [undefined, { permissions: 'deny' }, { permissions: 'ask' }] as const) {
        const permissions = ceiling?.permissions ?? 'deny'
        const told = expect.stringContaining(
          `permissions is "${permissions}", and the most that a request may ask for is ${most}.`,
        )
        expect(() => check(ceiling)).toThrow(
          expect.objectContaining({
            code: 'run_not_permitted',
            message: told,
            details: {
              path: `/extensions/${key}`,
              permissions,
              ceiling: most,
              setting: 'requestsMayRaisePermissions',
            },
          }),
        )
      }
      expect(() => check({ permissions: 'deny', requestsMayRaisePermissions: true })).not.toThrow()
      if (key === externalSandboxKey)
        expect(() => check({ permissions: 'allow' })).toThrow(
          expect.objectContaining({ code: 'run_not_permitted' }),
        )
      else expect(() => check({ permissions: 'allow' })).not.toThrow()
    },
  )

  test('of codex below the ceiling is taken as it is', () => {
    const extensions = { [sandboxModeKey]: 'read-only', [approvalPolicyKey]: 'never' }
    expect(commandOf(codex, { extensions }, { permissions: 'deny' })).toMatchObject({
      args: expect.arrayContaining(['--sandbox=read-only', '--config=approval_policy="never"']),
    })
  })
})

describe('a command line', () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '-p',
      '--',
      '-',
      '--dangerously-skip-permissions',
      '--config=x',
      '-c',
      '--last',
      '@/etc/passwd',
    ),
    fc.string({ minLength: 1, maxLength: 40 }).map((text) => `-${text}`),
    fc.string({ minLength: 1, maxLength: 40 }),
  )

  /**
   * Whether a request changed only the value in an argument: after our own `--option=`, or after our `--`.
   */
  const isValue = (args: readonly string[], plain: readonly string[], index: number): boolean => {
    const option = /^--[a-z-]+=/.exec(plain[index] ?? '')?.[0]
    const divider = plain.indexOf('--')
    return option === undefined ? divider >= 0 && divider < index : args[index]?.startsWith(option) === true
  }

  test.each(agents)('of $kind has no value of a request that could be an option', (agent) => {
    const texts = fc.record({ prompt: hostile, model: hostile, id: hostile })
    fc.assert(
      fc.property(texts, fc.constantFrom(resumeKey, forkKey, undefined), ({ prompt, model, id }, key) => {
        const has = (name: string) => agent.rules.extensions.includes(name)
        const extensionsWith = (asked: string, handle: string): JsonObject => ({
          ...(has(modelKey) && key !== forkKey ? { [modelKey]: asked } : {}),
          ...(key !== undefined && has(key) ? { [key]: { selector: 'id', id: handle } } : {}),
        })
        const ceiling = { permissions: 'deny' } as const
        const plain = commandOf(agent, { extensions: extensionsWith('m', 'h') }, ceiling)
        const command = commandOf(agent, { prompt, extensions: extensionsWith(model, id) }, ceiling)
        // An empty prompt, or a control character.
        if (typeof command === 'string' || typeof plain === 'string') {
          expect(command).toMatch(/^(?:invalid_run|run_failed)$/)
          return
        }
        expect(command.args.length).toBe(plain.args.length)
        command.args.forEach((arg, index) => {
          if (arg !== plain.args[index]) expect(isValue(command.args, plain.args, index)).toBe(true)
        })
      }),
      { numRuns: runs(300) },
    )
  })

  test.each([claudeCode, codex, geminiCli, opencode])(
    'of $kind names the session exactly as it was checked, or none',
    (agent) => {
      const argsOf = (id: string): readonly string[] => {
        const extensions = { [resumeKey]: { selector: 'id', id } }
        const command = commandOf(agent, { extensions }, { permissions: 'deny' })
        return typeof command === 'string' ? [command] : command.args
      }
      for (const id of ['aB-9', 'a b', 'a\u3000b', 'a\ufeffb'])
        expect(argsOf(id).filter((arg) => arg === id || arg.endsWith(`=${id}`))).toHaveLength(1)
      for (const id of [' a', 'a ', 'a\u3000', '\ufeffa']) expect(argsOf(id)).toEqual(['invalid_run'])
    },
  )

  test('takes no model and no session with a control character', () => {
    const extensions = (text: string): readonly JsonObject[] => [
      { [modelKey]: `m${text}m` },
      { [resumeKey]: { selector: 'id', id: `i${text}i` } },
    ]
    for (const text of ['\0', '\n', '\u001b', '\u0085'])
      for (const each of extensions(text))
        expect(commandOf(claudeCode, { extensions: each }, { permissions: 'deny' })).toBe('invalid_run')
  })
})
