import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository, type RepositoryCopy } from './copy-repository.ts'
import { toy } from './toy/toy.ts'

// Adding a dialect takes one folder, one entry in the list and one page. This test adds the toy dialect in
// exactly this way to a copy of the repository, and runs there the tests that a new dialect must pass.

const source = fileURLToPath(new URL('./toy/', import.meta.url))
const dialectsFolder = 'packages/protocol/src/dialects'
const toyFolder = `${dialectsFolder}/${toy.id}`
const listFile = `${dialectsFolder}/index.ts`
const page = `docs/dialects/${toy.id}.md`
const overview = 'docs/dialects/README.md'

const suite = `import { describe } from 'vitest'
import { testCarried } from '../../testing/test-carried.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { toy } from './index.ts'

describe('toy', () => {
  testDialect(toy, { fixtures: new URL('./fixtures/', import.meta.url) })
  testCarried(toy, { notice: ['text'], 'session-end failed': ['outcome'] })
})
`

/** Every test file that covers a new dialect; `testNames` selects the tests in them. */
const testFiles = [
  `${toyFolder}/toy.test.ts`,
  'packages/protocol/src/matrix.test.ts',
  'packages/protocol/src/payloads.test.ts',
  'packages/protocol/src/tell-entry.test.ts',
  'packages/protocol/src/schemas/published.test.ts',
  'e2e/dialects/every-dialect.test.ts',
  'checks/architecture.test.ts',
  'checks/docs.test.ts',
]
const testNames = 'toy|^docs/dialects|^links|^dialects|^names'

/** Tests that must be among them, so that a renamed one is noticed. */
const expectedTests = [
  /toy random sessions come out valid/,
  /toy mutated recordings never throw/,
  /to toy its page lists what is lost/,
  /to aaep and back to toy/,
  /told in toy the full session/,
  /toy holds the request, tool arguments and tool results/,
  /every frame of toy valid/,
  /toy is converted both ways/,
  /toy is published to a gateway/,
  /toy is read from a gateway/,
  /the page of a dialect toy tells its rules/,
  /docs\/dialects\/README\.md lists every dialect/,
  /dialects have the same files each/,
  /links lead somewhere/,
]

let copy: RepositoryCopy

beforeAll(() => {
  copy = copyRepository()
})

afterAll(() => rmSync(copy.folder, { recursive: true, force: true }))

/** Adds the folder, the entry in the list and the page. */
function addToy(): void {
  const inCopy = (path: string): string => join(copy.folder, path)
  mkdirSync(inCopy(toyFolder))
  for (const name of readdirSync(source).filter((file) => file.endsWith('.ts'))) {
    const text = readFileSync(join(source, name), 'utf8').replaceAll(
      "'../../../packages/protocol/src/",
      "'../../",
    )
    writeFileSync(inCopy(`${toyFolder}/${name === 'toy.ts' ? 'index.ts' : name}`), text)
  }
  writeFileSync(inCopy(`${toyFolder}/toy.test.ts`), suite)
  cpSync(join(source, 'fixtures'), inCopy(`${toyFolder}/fixtures`), { recursive: true })
  const list = readFileSync(inCopy(listFile), 'utf8')
    .replace("'./stream-event/index.ts'\n", "$&import { toy } from './toy/index.ts'\n")
    .replace(/(export const dialects: .* = \[.*)\]/, '$1, toy]')
  writeFileSync(inCopy(listFile), list)
  cpSync(join(source, 'toy.md'), inCopy(page))
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** Runs the tests in the copy; `-u` writes the overview of all dialects. */
function runTests(): Promise<Report> {
  const reportFile = join(copy.folder, 'node_modules', 'report.json')
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const flags = ['run', '-u', '-t', testNames, '--reporter=json', `--outputFile=${reportFile}`]
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [vitest, ...flags, ...testFiles], {
      cwd: copy.folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('error', fail)
    child.on('close', () => done(JSON.parse(readFileSync(reportFile, 'utf8')) as Report)) // vitest's own format
  })
}

interface Result {
  readonly name: string
  readonly status: string
  readonly why: string
}

/** One result per test; a file that could not be loaded counts as a failed one. */
function resultsOf({ testResults }: Report): readonly Result[] {
  return testResults.flatMap(({ name, message, assertionResults }) =>
    assertionResults.length === 0
      ? [{ name, status: 'failed', why: message }]
      : assertionResults.map(({ fullName, status, failureMessages }) => ({
          name: fullName.replaceAll("'", ''), // vitest quotes the values in a title
          status,
          why: failureMessages.join('\n'),
        })),
  )
}

test('a dialect is one folder, one entry in the list and one page, and passes every test as such', async () => {
  addToy()
  const results = resultsOf(await runTests())
  expect(results.filter(({ status }) => status === 'failed')).toEqual([])
  const passed = results.filter(({ status }) => status === 'passed').map(({ name }) => name)
  expect(passed.length).toBeGreaterThan(50)
  for (const expected of expectedTests)
    expect(
      passed.filter((name) => expected.test(name)),
      String(expected),
    ).not.toEqual([])

  for (const name of readdirSync(join(copy.folder, toyFolder, 'fixtures')).filter((file) =>
    file.endsWith('.events'),
  ))
    await expect(readFileSync(join(copy.folder, toyFolder, 'fixtures', name), 'utf8')).toMatchFileSnapshot(
      join(source, 'fixtures', name),
    )
  const touched = copy.touched().filter((path) => !path.startsWith(`${toyFolder}/`))
  expect(touched).toEqual([overview, page, listFile].sort())
  expect(readFileSync(join(copy.folder, overview), 'utf8')).toContain(`| [toy](toy.md) | ${toy.title} |`)
})
