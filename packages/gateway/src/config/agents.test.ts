import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'
import { configSchema } from './published-schema.ts'
import { membersOf, settings } from './settings.ts'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sluice-config-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function load(agents: unknown) {
  await writeFile(join(cwd, 'sluice.config.json'), JSON.stringify({ agents }))
  return (await loadConfig({ cwd })).agents
}

const page = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
const section = page.slice(page.indexOf('## Configuration'), page.indexOf('## A run'))
const firstCells = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (/^\| (`[^|]+`) \|/.exec(line)?.[1] ?? '').match(/\w+/g) ?? [])

describe('agents', () => {
  test('are those of the page', async () => {
    const [, example = '{}'] = /```json\n(.*?)```/s.exec(section) ?? []
    const { agents } = JSON.parse(example)
    expect(await load(agents)).toEqual({
      ...agents,
      mine: { ...agents.mine, command: [join(cwd, 'my-agent'), '--stream'] },
    })
  })

  test('have the types and keys that the page tells', () => {
    const node = settings.find(({ pointer }) => pointer === '/agents')?.schema ?? {}
    const fields = membersOf(node)?.properties ?? {}
    const keys = Object.keys(fields)
    expect(firstCells(section).toSorted()).toEqual(keys.toSorted())
    const kinds = page.slice(page.indexOf('## Kinds'), page.indexOf('## Configuration'))
    expect(firstCells(kinds)).toEqual(fields['type']?.enum)
  })

  test('are absent where nothing names them, and may be none', async () => {
    expect(await load(undefined)).toBeUndefined()
    expect(await load({})).toEqual({})
  })

  test('have paths that start in the folder of the configuration; names of programs stay', async () => {
    const given = {
      claude: { type: 'claude_code', workingDirs: ['src', '/abs'], program: 'bin/claude', idleMs: '10m' },
      codex: { type: 'codex', program: 'codex-nightly', env: { COLOUR: './red' }, askTimeoutMs: undefined },
      far: { type: 'remote', url: 'https://a.example', dialect: 'aaep', tokenFile: 'token' },
    }
    expect(await load(given)).toEqual({
      claude: {
        ...given.claude,
        workingDirs: [join(cwd, 'src'), '/abs'],
        program: join(cwd, 'bin/claude'),
        idleMs: 600_000,
      },
      codex: { type: 'codex', program: 'codex-nightly', env: { COLOUR: './red' } },
      far: { ...given.far, tokenFile: join(cwd, 'token') },
    })
  })

  test('come from a variable as JSON', async () => {
    await rm(join(cwd, 'sluice.config.json'), { force: true })
    const agents = { demo: { type: 'demo' } }
    const config = await loadConfig({ cwd, env: { SLUICE_AGENTS: JSON.stringify(agents) } })
    expect(config.agents).toEqual(agents)
  })

  test.each([
    [[], '/agents', 'must be an object'],
    [{ 'a b': { type: 'demo' } }, '/agents/a b', 'name of the form'],
    [{ a: {} }, '/agents/a/type', 'is missing'],
    [{ a: 1 }, '/agents/a', 'must be an object'],
    [{ a: { type: 'cursor' } }, '/agents/a/type', 'claude_code'],
    [{ a: { type: 'demo', model: 'x' } }, '/agents/a/model', 'no key of an agent of the type demo'],
    [{ a: { type: 'codex', askTimeoutMs: 1 } }, '/agents/a/askTimeoutMs', 'of the type codex'],
    [
      { a: { type: 'aider', requestsMayRaisePermissions: true } },
      '/agents/a/requestsMayRaisePermissions',
      'of the type aider',
    ],
    [
      { a: { type: 'codex', requestsMayRaisePermissions: 'yes' } },
      '/agents/a/requestsMayRaisePermissions',
      'must be',
    ],
    [{ a: { type: 'demo', modle: 'x' } }, '/agents/a/modle', 'Did you mean /agents/a/model?'],
    [{ a: { type: 'command', dialect: 'aaep' } }, '/agents/a/command', 'is missing'],
    [{ a: { type: 'acp', command: [] } }, '/agents/a/command', 'at least the program'],
    [{ a: { type: 'aider', workingDirs: [] } }, '/agents/a/workingDirs', 'at least one directory'],
    [{ a: { type: 'aider', env: { A: 1 } } }, '/agents/a/env/A', 'must be'],
    [
      { a: { type: 'remote', dialect: 'aaep', url: 'http://a.example' } },
      '/agents/a/url',
      'unless allowPrivate is true',
    ],
    [{ a: { type: 'demo', concurrency: 0 } }, '/agents/a/concurrency', 'from 1 to'],
  ])('are refused where they are wrong: %j', async (agents, key, says) => {
    await expect(load(agents)).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining(says),
      details: { key },
    })
  })

  test('are checked by the published schema too', () => {
    const check = new Ajv2020({ strict: false }).compile(configSchema)
    expect(check({ agents: { a: { type: 'demo', timeoutMs: '5m' } } })).toBe(true)
    expect(check({ agents: { a: { type: 'demo', modle: 'x' } } })).toBe(false)
    expect(check({ agents: { 'a b': { type: 'demo' } } })).toBe(false)
  })
})
