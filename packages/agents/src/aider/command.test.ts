import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CheckedRequest } from '../request/checked-request.ts'
import { toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { toCommand } from './command.ts'
import { aider } from './index.ts'

const allowed = { permissions: 'allow', askTimeoutMs: 1 } as const
const commandOf = (values: Partial<CheckedRequest> = {}) => toCommand(toRequest(values), allowed)

test('aider is told to ask nothing, to print plain text and to wrap nothing', () => {
  const { args, env, keepsStdin } = commandOf()
  expect(args).toMatchInlineSnapshot(`
    [
      "--yes-always",
      "--stream",
      "--no-pretty",
      "--no-fancy-input",
      "--no-check-update",
      "--no-show-release-notes",
      "--no-show-model-warnings",
      "--no-suggest-shell-commands",
      "--no-detect-urls",
      "--no-gitignore",
      "--no-analytics",
    ]
  `)
  expect(env).toMatchObject({ COLUMNS: '100000', BROWSER: 'true', PYTHONIOENCODING: 'utf-8' })
  expect(keepsStdin).toBe(false)
})

test.each(['deny', 'ask'] as const)(
  'with %s it only talks: nothing that it could ask about happens',
  (permissions) => {
    const { args, stdin } = toCommand(toRequest(), { permissions, askTimeoutMs: 1 })
    const readOnly = ['--chat-mode=ask', '--dry-run', '--no-git', '--no-auto-lint', '--no-auto-test']
    expect(args).toEqual(expect.arrayContaining(readOnly))
    for (const arg of readOnly) expect(commandOf().args).not.toContain(arg)
    // A question at the start must not consume the prompt.
    expect(args).toContain('--yes-always')
    expect(stdin).toBe('{prompt\ngo\nprompt}\n')
  },
)

test('a model is one word with its option', () => {
  expect(commandOf({ model: '-x' }).args.at(-1)).toBe('--model=-x')
})

test.each([
  ['one line', 'hello', '{prompt\nhello\nprompt}\n'],
  ['several', 'a\n\nb\n', '{prompt\na\n\nb\n\nprompt}\n'],
  ['the word itself', 'a\nprompt}\nprompt1', '{prompt2\na\nprompt}\nprompt1\nprompt2}\n'],
  ['a command to aider', '/exit', '{prompt\n\n/exit\nprompt}\n'],
  ['a command to the shell', '!rm -rf x', '{prompt\n\n!rm -rf x\nprompt}\n'],
])('a prompt with %s is typed as one message', (_, prompt, typed) => {
  expect(commandOf({ prompt }).stdin).toBe(typed)
})

test('no prompt ends its own message', () => {
  const words = fc.constantFrom('prompt', 'prompt1', 'prompt2', '}', '{', '\n', '\r', ' ', '!')
  fc.assert(
    fc.property(fc.array(words), (parts) => {
      const prompt = parts.join('')
      const [first = '', ...lines] = commandOf({ prompt }).stdin.split(/\r\n|\r|\n/)
      const end = `${first.slice(1)}}`
      expect(first).toMatch(/^\{[a-z]+\d*$/)
      expect(lines.indexOf(end)).toBe(lines.length - 2)
    }),
    { numRuns: runs(300) },
  )
})

test('no extension of aider is not a capability', () => {
  expect(aider.capabilities).toEqual(expect.arrayContaining([...aider.rules.extensions]))
})
