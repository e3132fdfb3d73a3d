import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorTable, intakeRules, type Rule } from '@sluice/protocol'
import { convertRules, dialects } from '@sluice/protocol/dialects'
import { eventSchemas, schemas } from '@sluice/protocol/schemas'
import { describe, expect, test } from 'vitest'
import { commandNames } from '../packages/cli/src/main.ts'
import { callSluice } from '../packages/cli/src/testing/call-sluice.ts'
import { gatewayRules } from '../packages/gateway/src/kernel/sessions/admission.ts'
import { schemaCodes } from '../packages/protocol/src/schemas/check.ts'
import { commentsOf } from './docs/comments.ts'
import { withDialects } from './docs/dialect-index.ts'
import { differences, pageFaults } from './docs/dialect-pages.ts'
import { codesIn, isShared } from './docs/finding-codes.ts'
import { deadLinks } from './docs/links.ts'
import { rowsOf, sectionOf } from './docs/markdown.ts'
import { proseOf, spellsOutAaep, stiltedPhrases } from './docs/plain-words.ts'
import { fieldFaults, type ObjectSchema } from './docs/protocol-page.ts'
import { cutLike, runSnippet, snippetsOf } from './docs/snippets.ts'
import { privateWords } from './docs/wording.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

/** What is in the repository or would be added to it. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(path))
const pages = files.filter((path) => path.endsWith('.md') && !path.includes('/fixtures/'))

describe('the page of a dialect', () => {
  test.each(dialects.map(({ id, rules }) => ({ id, rules })))(
    '$id tells its rules, and no losses of others',
    ({ id, rules }) => {
      const path = `docs/dialects/${id}.md`
      const others = dialects.map((dialect) => dialect.id).filter((other) => other !== id)
      expect(existsSync(path) ? pageFaults(read(path), rules, others) : [`${path} is missing`]).toEqual([])
    },
  )

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

  test('is checked for losses that it tells for another dialect', () => {
    const page = '## What is lost\n| lost | why |\n| --- | --- |\n| `meta.x` | AAEP and `a2a-v1` have none. |'
    expect(pageFaults(page, [], ['aaep', 'a2a', 'a2a-v1', 'meta']).slice(4)).toEqual([
      '"What is lost" names the dialect aaep',
      '"What is lost" names the dialect a2a-v1',
    ])
  })
})

describe('docs/dialects/README.md', () => {
  test('lists every dialect and what it can express; `npm test -- docs.test.ts -u` writes it', async () => {
    const path = resolve('docs/dialects/README.md')
    await expect(withDialects(read(path), dialects)).toMatchFileSnapshot(path)
  })

  test('has a place for both', () => {
    expect(() => withDialects('<!-- list:start -->\n<!-- list:end -->', dialects)).toThrow('the matrix')
  })
})

describe('docs/protocol.md', () => {
  const markdown = read('docs/protocol.md')
  const wire = (name: string): ObjectSchema => schemas['sluice']?.[name] as ObjectSchema // objects, all of them

  test.each(Object.entries(eventSchemas))('tells every field of %s', (kind, schema) => {
    expect(fieldFaults(markdown, kind, { schema, except: ['kind', 'meta'] })).toEqual([])
  })

  test('tells every field of an entry, of what is published and of meta', () => {
    const { meta } = eventSchemas.unknown.properties
    expect(fieldFaults(markdown, 'The entry', { schema: wire('entry') })).toEqual([])
    expect(fieldFaults(markdown, 'Publishing', { schema: wire('published') })).toEqual([])
    expect(fieldFaults(markdown, 'Meta', { schema: meta })).toEqual([])
  })

  test('is compared with names and with what is optional', () => {
    const page = '## a\n| field |\n| --- |\n| `x` |\n| `y?` |'
    const schema = { properties: { x: {}, y: {}, z: {} }, required: ['x', 'y'] }
    expect(fieldFaults(page, 'a', { schema, except: ['z'] })).toHaveLength(2)
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

describe('wording', () => {
  const readers = ['README.md', 'CHANGELOG.md', 'SECURITY.md']
  const worded = pages.filter((path) => path.startsWith('docs/') || readers.includes(path))

  test.each(worded)('is plain English in %s', (path) => {
    expect(stiltedPhrases(path, proseOf(read(path)))).toEqual([])
  })

  test.each(worded)('spells AAEP out in %s', (path) => {
    expect(spellsOutAaep(read(path))).toBe(true)
  })

  test.each(['', ...commandNames])('is plain English in: sluice %s --help', async (name) => {
    const { stdout } = await callSluice(name === '' ? ['--help'] : [name, '--help'])
    expect(stdout).toMatch(/^Usage: /)
    expect(stiltedPhrases(`sluice ${name} --help`, stdout)).toEqual([])
  })

  test('is plain English in the messages of errors', () => {
    const messages = Object.values(errorTable).map(({ message }) => message)
    expect(stiltedPhrases('error.ts', messages.join('\n'))).toEqual([])
  })

  test.each([
    'Who joins a session that is under way gets one event.',
    'Whoever may read it follows it.',
    'The client wants what comes behind it.',
    'Flags go over variables, those over the file.',
    'A change holds at once, also for a gateway that runs.',
    'The rules of one page stand there; this one stands here.',
    'What was acknowledged is durable.',
    'That a session was deleted is told to nobody.',
    'It tells how they stand, and at most so many.',
    'Each of them has a pace of its own.',
    'What is no whole entry has no id.',
    'It prints one frame a\nline.',
    'Use the contract of the agent.',
  ])('that is stilted is found: %s', (text) => {
    expect(stiltedPhrases('a.md', text)).not.toEqual([])
  })

  test.each([
    'A client that joins a running session first receives its state.',
    'The client wants everything after it.',
    'Takes effect immediately; no restart needed.',
    'Run it behind a proxy. There is no such session.',
    'Acknowledged events are durable.',
    'The token stands for the key. It has its own pace, and needs no more than 4 MiB.',
    'It prints one frame per line.',
  ])('that is plain is not: %s', (text) => {
    expect(stiltedPhrases('a.md', text)).toEqual([])
  })

  test('is plain English in comments', () => {
    const sources = files.filter((path) => /(?<!\.generated)\.(?:tsx?|mjs|css)$/.test(path))
    expect(sources.flatMap((path) => stiltedPhrases(path, proseOf(commentsOf(read(path)))))).toEqual([])
  })

  test('of comments is found where it is, over lines too', () => {
    const source = [
      `const url = 'http://behind' /${'/'} stands`,
      '/** Who',
      ' * joins is late. `behind` */',
      'a(b) /* c */',
    ]
    expect(stiltedPhrases('a.ts', proseOf(commentsOf(source.join('\n'))))).toEqual([
      expect.stringContaining('a.ts:1: "stands"'),
      expect.stringContaining('a.ts:2: "Who joins is"'),
    ])
  })

  test('of code is not looked at', () => {
    expect(proseOf('`a contract`\n```sh\ncontract\n```\n[a](contract.md)')).not.toContain('contract')
  })

  test.each([
    ['AAEP first', false],
    ['The Agent Accessibility Event Protocol (AAEP). AAEP again', true],
    ['`SLUICE_AAEP_NAME`', true],
  ])('of "%s" spells AAEP out: %s', (text, isSpelledOut) => {
    expect(spellsOutAaep(text)).toBe(isSpelledOut)
  })
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

test('decisions follow one template', () => {
  const titles = ['## Context', '## Decision', '## Alternatives', '## Consequences']
  for (const name of readdirSync('docs/decisions').filter((file) => file.endsWith('.md'))) {
    const text = read(`docs/decisions/${name}`)
    expect(text, name).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`))
    const found = text.split('\n').filter((line) => line.startsWith('## '))
    expect(found, name).toEqual(titles.filter((title) => found.includes(title)))
    expect(found.slice(0, 2), name).toEqual(titles.slice(0, 2))
  }
})
