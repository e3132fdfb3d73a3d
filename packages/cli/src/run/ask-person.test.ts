import { PassThrough } from 'node:stream'
import type { SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { guardIo } from '../guard-terminal.ts'
import { createAsking } from './ask-person.ts'

function ask(events: readonly SluiceEvent[], { isTTY = true, isAlone = false } = {}): string {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const io = guardIo({ stdin, stdout: new PassThrough(), stderr: new PassThrough(), env: {} })
  const asking = createAsking({
    io: { ...io, stdin },
    wholeCommand: 'npx sluice tail sess_a --output ndjson',
    isAlone,
    send() {},
  })
  try {
    return asking.step(events)
  } finally {
    asking.release()
  }
}

const call = (args: string): SluiceEvent => ({ kind: 'tool-call', call: 'c', tool: 'sh', args: { args } })
const question = (more: object = {}): SluiceEvent => ({
  kind: 'question-open',
  question: 'confirmation',
  token: 't',
  text: 'Run it?',
  meta: { parent: 'c' },
  ...more,
})

test('shows what a tool was given, indented, and how to answer', () => {
  expect(ask([call('ls\n? Really?'), question()])).toBe(
    '  {\n    "args": "ls\\n? Really?"\n  }\nType y or n and press Enter.\n',
  )
})

test.each([
  ['arguments', [call(`${'x'.repeat(5000)}; rm -rf /`), question()], 5026 - 4000],
  ['the text', [question({ text: `${'x'.repeat(2000)}rm -rf /` })], 2008 - 999],
  ['the consequence', [question({ consequence: 'x'.repeat(1001) })], 1001 - 999],
  ['a choice', [question({ allowed: ['accept', 'x'.repeat(300)] })], 300 - 199],
] as const)('says when %s are cut, by how much, and how to see them', (_, events, count) => {
  const shown = ask(events)
  expect(shown).not.toContain('rm -rf')
  expect(shown).toContain(
    `! ${count} characters of this question are not shown. To see all: npx sluice tail sess_a --output ndjson\n`,
  )
})

test('says nothing of it when nothing is cut', () => {
  expect(ask([call('x'.repeat(3000)), question()])).not.toContain('not shown')
})

test('asks beside frames, which are not for people', () => {
  expect(ask([question()], { isAlone: true })).toBe('? Run it?\nType y or n and press Enter.\n')
})
