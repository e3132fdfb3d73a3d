import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { errorTable, intakeRules, type Rule } from '@sluice/protocol'
import { convertRules, dialects } from '@sluice/protocol/dialects'
import { eventSchemas, schemas } from '@sluice/protocol/schemas'
import { describe, expect, test } from 'vitest'
import { differences, pageFaults } from './docs-checks/dialect-pages.ts'
import { codesIn, isShared } from './docs-checks/finding-codes.ts'
import { deadLinks } from './docs-checks/links.ts'
import { rowsOf, sectionOf } from './docs-checks/markdown.ts'
import { fieldFaults, type ObjectSchema } from './docs-checks/protocol-page.ts'
import { cutLike, runSnippet, snippetsOf } from './docs-checks/snippets.ts'
import { privateWords } from './docs-checks/wording.ts'
import { gatewayRules } from './packages/gateway/src/kernel/sessions/admission.ts'
import { schemaCodes } from './packages/protocol/src/schemas/check.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

/** What is in the repository or would be added to it. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(path))
const pages = files.filter((path) => path.endsWith('.md') && !path.includes('/fixtures/'))

describe('the page of a dialect', () => {
  test.each(dialects.map(({ id, rules }) => ({ id, rules })))('$id tells its rules', ({ id, rules }) => {
    const path = `docs/dialects/${id}.md`
    expect(existsSync(path) ? pageFaults(read(path), rules) : [`${path} is missing`]).toEqual([])
  })

  test.each(dialects.map(({ id }) => id))('%s is in the index', (id) => {
    expect(read('docs/dialects/README.md')).toContain(`(${id}.md)`)
  })

  test('is checked for headings, missing rules, other verdicts and rules that do not exist', () => {
    const page =
      '## How it maps\n## Rules\n| code | verdict |\n| --- | --- |\n| `a` | finding |\n| `b` | finding |'
    const rules = [
      { code: 'a', verdict: 'refused' },
      { code: 'c', verdict: 'finding' },
    ]
    expect(pageFaults(page, rules)).toEqual([
      'no heading "Where payloads may go"',
      'no heading "Joining at a cursor"',
      'no heading "What is lost"',
      'a (refused) is not documented',
      'c (finding) is not documented',
      'a (finding) is documented but does not exist',
      'b (finding) is documented but does not exist',
    ])
  })
})

describe('docs/protocol.md', () => {
  const markdown = read('docs/protocol.md')
  const wire = (name: string): ObjectSchema => schemas['sluice']?.[name] as ObjectSchema // objects, all of them

  test.each(Object.entries(eventSchemas))('tells every field of %s', (kind, schema) => {
    expect(fieldFaults(markdown, kind, schema, ['kind', 'meta'])).toEqual([])
  })

  test('tells every field of an entry, of what is published and of meta', () => {
    const { meta } = eventSchemas.unknown.properties
    expect(fieldFaults(markdown, 'The entry', wire('entry'))).toEqual([])
    expect(fieldFaults(markdown, 'Publishing', wire('published'))).toEqual([])
    expect(fieldFaults(markdown, 'Meta', meta)).toEqual([])
  })

  test('is compared with names and with what is optional', () => {
    const page = '## a\n| field |\n| --- |\n| `x` |\n| `y?` |'
    const schema = { properties: { x: {}, y: {}, z: {} }, required: ['x', 'y'] }
    expect(fieldFaults(page, 'a', schema, ['z'])).toHaveLength(2)
  })
})

describe('docs/errors.md', () => {
  const markdown = read('docs/errors.md')
  const errors = rowsOf(sectionOf(markdown, 'Errors') ?? '')
  const findings = rowsOf(sectionOf(markdown, 'Findings') ?? '')

  test('tells every error with its status, exit code and whether to try again', () => {
    const real = Object.entries(errorTable).map(
      ([code, { status, close, exit, retryable }]) =>
        `${code} ${status} ${close} ${exit} ${retryable ? 'yes' : 'no'}`,
    )
    const told = errors.map(
      (row) => `${row['code']} ${row['HTTP']} ${row['WebSocket']} ${row['exit']} ${row['retryable']}`,
    )
    expect(differences(real, told)).toEqual([])
  })

  test('tells every finding that is no dialect’s own', () => {
    const real = new Set(files.filter(isShared).flatMap((path) => codesIn(read(path))))
    const told = findings.map((row) => row['code'] ?? '')
    expect(real.size).toBeGreaterThan(20)
    expect(differences([...real], told)).toEqual([])
  })

  test('tells the verdicts and sources of the rules that hold everywhere', () => {
    const rules = [intakeRules, convertRules, gatewayRules].flatMap((table) => Object.values<Rule>(table))
    const real = rules.map(({ code, verdict, source }) => `${code} ${verdict} ${source}`)
    const told = rowsOf(sectionOf(markdown, 'In every dialect') ?? '')
    expect(
      differences(
        real,
        told.map((row) => `${row['code']} ${row['verdict']} ${row['source']}`),
      ),
    ).toEqual([])
  })

  test('tells the schema keyword behind each finding on the shape of a frame', () => {
    const real = Object.entries(schemaCodes).map(([keyword, { code }]) => `${keyword}: ${code}`)
    const told = rowsOf(sectionOf(markdown, 'Shape') ?? '').flatMap((row) =>
      (row['schema keyword'] ?? '')
        .split(', ')
        .map((keyword) => `${keyword.replaceAll('`', '')}: ${row['code']}`),
    )
    const others = ['required: missing_field', 'any other: wrong_shape']
    expect(differences([...real, ...others], told)).toEqual([])
  })

  test('is compared with what sources spell', () => {
    const text =
      "code: 'a_1', x\ncode: 'b' | 'c'\ntype FaultCode =\n  | 'd'\n  | 'e'\ncode: 'UPPER' code: string"
    expect(codesIn(text)).toEqual(['a_1', 'b', 'c', 'd', 'e'])
  })
})

test('the support matrix of README.md is the one of the dialects', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/write-matrix.mjs', '--check'], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

describe('snippets', () => {
  const guides = readdirSync('docs/guides').map((name) => `docs/guides/${name}`)
  const snippets = ['README.md', ...guides].flatMap((path) => snippetsOf(path, read(path)))

  test('are there', () => expect(snippets.length).toBeGreaterThan(0))

  test.each(snippets)('run: $place', async (snippet) => {
    const { exit, output } = await runSnippet(snippet)
    if (snippet.output !== undefined) expect(cutLike(snippet.output, output)).toBe(snippet.output)
    expect({ exit, output }).toMatchObject({ exit: snippet.exit })
  })

  test('are found with their exit code and output', () => {
    const page =
      '```sh run exit=1\nfalse\n```\n\n```text output\nno\n```\n\n```js\nskipped\n```\n```js run\n1\n```'
    expect(snippetsOf('a.md', page)).toEqual([
      { place: 'a.md:1', language: 'sh', text: 'false', exit: 1, output: 'no' },
      { place: 'a.md:12', language: 'js', text: '1', exit: 0 },
    ])
  })

  test('may show the beginning of a line', () => {
    expect(cutLike('abc…\nxyz', 'abcdef\nxyz\n')).toBe('abc…\nxyz')
    expect(cutLike('abc…', 'abXdef\n')).toBe('abX…')
  })
})

describe('links', () => {
  test('lead somewhere', () => {
    expect(pages.flatMap((path) => deadLinks(path, read(path)))).toEqual([])
  })

  test.each(['[a](missing.md)', '[a](docs/errors.md#no-such-heading)', '[a](#here)'])(
    'that lead nowhere are found: %s',
    (text) => expect(deadLinks('README.md', text)).toHaveLength(1),
  )

  test.each(['[a](https://example.org)', '[a](docs/errors.md#findings)', '`[a](b)`', '# Here\n[a](#here)'])(
    'that lead somewhere are not: %s',
    (text) => expect(deadLinks('README.md', text)).toEqual([]),
  )
})

describe('files', () => {
  test('say nothing of the machine on which they were written', () => {
    const texts = files.filter((path) => path !== 'package-lock.json' && !path.includes('/fixtures/'))
    expect(texts.flatMap((path) => privateWords(path, read(path)))).toEqual([])
  })

  test.each(['see /home/'.concat('ada/notes'), 'http://registry'.concat('.example.org/a')])(
    'that do are found: %s',
    (text) => expect(privateWords('a.md', text)).toHaveLength(1),
  )
})
