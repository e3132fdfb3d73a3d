import { dialects } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { runSluice } from './testing/run-sluice.ts'

const commands = ['convert', 'validate', 'schema', 'dialects']

describe('sluice', () => {
  test('without a command shows its help and ends as wrong usage', async () => {
    const { code, stdout } = await callSluice([])
    expect(code).toBe(2)
    expect(stdout).toContain('Usage: sluice COMMAND')
  })

  test.each(commands)('%s --help has an example that works when pasted', async (command) => {
    const { code, stdout } = await callSluice([command, '--help'])
    expect(code).toBe(0)
    const example = /Example:\n\s+npx sluice (.*)\n/.exec(stdout)?.[1]
    expect(example).toBeDefined()
    const run = await callSluice((example ?? '').split(' '))
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
  })

  test.each([
    { args: ['convret'], says: 'Did you mean: sluice convert' },
    { args: ['convert', '--form', 'aaep'], says: 'Did you mean --from?' },
    { args: ['convert', '--from', 'aeep', '--to', 'a2a'], says: 'Did you mean aaep?' },
    { args: ['convert', '--from', 'aaep', '--to', 'auto'], says: '--to needs the name of a dialect' },
    { args: ['convert', '--from', 'aaep'], says: '--to needs the name of a dialect' },
    { args: ['convert', '--to', 'a2a', '--input', 'ndjsn'], says: 'Did you mean ndjson?' },
    { args: ['convert', '--to', 'a2a', '--at', 'noon'], says: '--at needs a time' },
    { args: ['convert', '--to', 'a2a', 'no-such-file'], says: 'there is no such file' },
    { args: ['convert', '--to', 'a2a', 'a', 'b'], says: 'only one FILE' },
    { args: ['validate', '--dialect'], says: 'sluice validate --help' },
    { args: ['schema', 'aaep', 'agent.output.streeming'], says: 'Did you mean agent.output.streaming?' },
    { args: ['schema'], says: 'Usage: sluice schema' },
  ])('answers $args with a hint and exit code 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await callSluice(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

test('sluice dialects shows every dialect and kind, also as JSON', async () => {
  const text = await callSluice(['dialects'])
  const json = await callSluice(['dialects', '--json'])
  for (const { id } of dialects) expect(text.stdout).toContain(id)
  expect(Object.keys(JSON.parse(json.stdout) as object)).toEqual(dialects.map(({ id }) => id))
})

test.each(dialects.map(({ id }) => id))(
  'sluice schema %s lists schemas that can each be printed',
  async (id) => {
    const names = (await callSluice(['schema', id])).stdout.trim().split('\n')
    expect(names.length).toBeGreaterThan(0)
    const { stdout } = await callSluice(['schema', id, names[0] ?? ''])
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' })
  },
)

test('the command is a process that says so by its exit code', async () => {
  const help = await runSluice(['--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('npx sluice')
  const wrong = await runSluice(['no-such-command'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(/^sluice: .*\n$/)
})
