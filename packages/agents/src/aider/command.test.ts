import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { toCommand } from './command.ts'
import { aider } from './index.ts'

test('aider is told to ask nothing, to print plain text and to wrap nothing', () => {
  const { args, env, keepsStdin } = toCommand(toRequest())
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

test('a model is one word with its option', () => {
  expect(toCommand(toRequest({ model: '-x' })).args.at(-1)).toBe('--model=-x')
})

test.each([
  ['one line', 'hello', '{prompt\nhello\nprompt}\n'],
  ['several', 'a\n\nb\n', '{prompt\na\n\nb\n\nprompt}\n'],
  ['the word itself', 'a\nprompt}\nprompt1', '{prompt2\na\nprompt}\nprompt1\nprompt2}\n'],
  ['a command to aider', '/exit', '{prompt\n\n/exit\nprompt}\n'],
  ['a command to the shell', '!rm -rf x', '{prompt\n\n!rm -rf x\nprompt}\n'],
])('a prompt with %s is typed as one message', (_, prompt, typed) => {
  expect(toCommand(toRequest({ prompt })).stdin).toBe(typed)
})

test('no prompt ends its own message', () => {
  const words = fc.constantFrom('prompt', 'prompt1', 'prompt2', '}', '{', '\n', '\r', ' ', '!')
  fc.assert(
    fc.property(fc.array(words), (parts) => {
      const prompt = parts.join('')
      const [first = '', ...lines] = toCommand(toRequest({ prompt })).stdin.split(/\r\n|\r|\n/)
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
