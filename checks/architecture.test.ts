import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { incompleteAgents } from './architecture/agents.ts'
import {
  badExtensions,
  nodeImports,
  packagesBehind,
  strayArrows,
  strayDependencies,
} from './architecture/arrows.ts'
import { strayTimes, wallDurations } from './architecture/clock.ts'
import {
  crossedDialects,
  DIALECTS,
  dialectBranches,
  dialectIds,
  incompleteDialects,
} from './architecture/dialects.ts'
import { strayFloors } from './architecture/floors.ts'
import { differingRanges, installScripts } from './architecture/installing.ts'
import {
  badLockEntries,
  SCRIPTED_PACKAGES,
  scriptedPackages,
  unsatisfiedRanges,
  unverifiedEntries,
} from './architecture/lock-file.ts'
import { badExports, badNames, publishedEntries, strayIndexes } from './architecture/names.ts'
import { mapFaults, wayFaults } from './architecture/page.ts'
import type { Source } from './architecture/source.ts'
import { undefinedSpreads } from './architecture/spreads.ts'
import { strayDefaults } from './architecture/switches.ts'

// Every rule is a function from files to sentences that each name one violation. The tests apply it to the
// repository, and to examples that break it.

const read = (path: string): Source => ({ path, text: readFileSync(path, 'utf8') })

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (['node_modules', 'dist', 'bundle'].includes(entry.name)) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

const files = ['packages', 'apps', 'scripts', 'bench', 'e2e']
  .filter((folder) => existsSync(folder))
  .flatMap(filesIn)
const sources = files.filter((path) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(path)).map(read)
const manifests = files.filter((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path)).map(read)
const lockFile = readFileSync('package-lock.json', 'utf8')
const SHA512 = `sha512-${'A'.repeat(86)}==`
const source = (path: string, text = ''): Source => ({ path, text })

test('there are files to judge', () => {
  expect(sources.length).toBeGreaterThan(0)
  expect(manifests.length).toBeGreaterThan(0)
})

describe('the floors of the gateway', () => {
  test('import only from below', () => {
    expect(sources.flatMap(strayFloors)).toEqual([])
  })

  test.each([
    ['kernel/sessions/writer.ts', '../../features/runs/runs.ts', 'features is not below kernel'],
    ['kernel/kernel.ts', '../gateway.ts', 'is above every floor'],
    ['config/schema.ts', '../access/binding.ts', 'access is not below config'],
    ['features/runs/runs.ts', '../upstreams/upstreams.ts', 'runs must not import upstreams'],
    ['faces/native/routes/read.ts', '../../aaep/routes.ts', 'native must not import aaep'],
    ['faces/http/guards.ts', '../console/routes.ts', 'http must not import console'],
  ])('%s may not import %s', (path, specifier, why) => {
    const found = strayFloors(source(`packages/gateway/src/${path}`, `import '${specifier}'`))
    expect(found).toEqual([expect.stringContaining(why)])
  })
})

describe('imports', () => {
  test('follow the arrows between packages', () => {
    expect(sources.flatMap(strayArrows)).toEqual([])
    expect(manifests.flatMap(strayDependencies)).toEqual([])
  })

  test.each([
    ['packages/log/src/a.ts', "import { a } from '@sluice/gateway'"],
    ['packages/client/src/a.ts', "import type { A } from '@sluice/log'"],
    ['packages/react/src/a.ts', "const a = await import('@sluice/agents')"],
    ['packages/gateway/src/a.ts', "export { a } from '@sluice/client/testing'"],
    ['packages/protocol/src/a.ts', "import {\n  a,\n  b,\n} from '../../log/src/b.ts'"],
    ['packages/conformance/src/a.ts', "import { createGateway } from '@sluice/gateway'"],
    ['packages/gateway/src/a.ts', "import { judgeProducer } from '@sluice/conformance'"],
    ['packages/surprise/src/a.ts', ''],
  ])('of another kind are found: %s %s', (path, text) => {
    expect(strayArrows(source(path, text))).toHaveLength(1)
  })

  test('that are dependencies of package.json alone are found', () => {
    const text = JSON.stringify({ dependencies: { '@sluice/protocol': '0', '@sluice/cli': '0', pino: '1' } })
    expect(strayDependencies(source('packages/log/package.json', text))).toHaveLength(1)
  })

  test('of Node stay out of the packages that run anywhere', () => {
    expect(sources.flatMap(nodeImports)).toEqual([])
    const text = "import 'node:fs'\nimport { join } from 'path'\nconst a = import('fs/promises')"
    expect(nodeImports(source('packages/client/src/a.ts', text))).toHaveLength(3)
    expect(nodeImports(source('packages/protocol/src/a.test.ts', text))).toEqual([])
    expect(nodeImports(source('packages/protocol/src/testing/a.ts', text))).toEqual([])
  })

  test('of the protocol core need no package at run time', () => {
    expect(packagesBehind('packages/protocol/src/index.ts', sources)).toEqual([])
    expect(packagesBehind('packages/protocol/src/narrate/index.ts', sources)).toEqual([])
    const graph = [
      source('p/index.ts', "export { a } from './a.ts'\nexport type { T } from 'typebox'"),
      source('p/a.ts', "import type { S } from 'typebox'\nimport { b } from './b/b.ts'"),
      source('p/b/b.ts', "import { type S } from 'typebox'\nimport '../a.ts'"),
      source('p/c.ts', "import { Type } from 'typebox'"),
    ]
    expect(packagesBehind('p/index.ts', graph)).toEqual([
      'p/b/b.ts: typebox is needed at run time by p/index.ts',
    ])
  })

  test('of the protocol core lead to files that exist', () => {
    expect(packagesBehind('p/gone.ts', [])).toEqual(['p/gone.ts: does not exist'])
  })

  test('name the file with its extension', () => {
    expect(sources.flatMap(badExtensions)).toEqual([])
    const text = "import { a } from './a'\nimport { b } from '../b.js'\nimport { c } from './c.ts'"
    expect(badExtensions(source('packages/log/src/d.ts', text))).toHaveLength(2)
  })
})

describe('dialects', () => {
  test('do not import one another', () => {
    expect(sources.flatMap(crossedDialects)).toEqual([])
    const text =
      "import { a } from '../a2a/a.ts'\nimport { all } from '../index.ts'\nimport { b } from '../../b.ts'"
    expect(crossedDialects(source(`${DIALECTS}/aaep/decode.ts`, text))).toHaveLength(2)
    expect(crossedDialects(source(`${DIALECTS}/a2a/decode.ts`, "import { a } from './a.ts'"))).toEqual([])
  })

  test('have the same files each', () => {
    expect(incompleteDialects(files)).toEqual([])
    const partial = [`${DIALECTS}/index.ts`, `${DIALECTS}/x/index.ts`, `${DIALECTS}/x/fixtures/a.json`]
    expect(incompleteDialects(partial)).toEqual(
      ['wire.ts', 'decode.ts', 'encode.ts', 'sequence.ts', 'a test'].map(
        (name) => `${DIALECTS}/x: ${name} is missing`,
      ),
    )
  })

  test('are told apart by what they support, not by their ids', () => {
    expect(sources.flatMap((file) => dialectBranches(file, dialectIds(files)))).toEqual([])
  })

  test.each([
    "if (id === 'aaep')",
    'while ("ag-ui" != id)',
    "case 'aaep':",
    "['x', 'aaep', 'y'].includes(id)",
  ])('are not told apart by %s', (text) => {
    const ids = ['aaep', 'ag-ui']
    expect(dialectBranches(source('packages/cli/src/a.ts', text), ids)).toHaveLength(1)
    expect(dialectBranches(source(`${DIALECTS}/aaep/a.ts`, text), ids)).toEqual([])
  })
})

describe('names', () => {
  test('are kebab-case and say something', () => {
    const code = files.filter((path) => /\.(tsx?|m?js|css)$/.test(path) && !path.includes('/fixtures/'))
    expect(code.flatMap(badNames)).toEqual([])
  })

  test.each([
    'src/fanOut/a.ts',
    'src/Event.ts',
    'src/utils/a.ts',
    'src/session-manager.ts',
    'src/lmdb-impl.test.ts',
  ])('of another kind are found: %s', (path) => expect(badNames(path)).toHaveLength(1))

  test('are exported one by one', () => {
    expect(sources.flatMap(badExports)).toEqual([])
    const text =
      "export * from './a.ts'\nexport type * from './b.ts'\nexport default 1\nexport { a as default }"
    expect(badExports(source('packages/log/src/a.ts', text))).toHaveLength(4)
    expect(badExports(source('packages/log/src/a.ts', 'export const defaults = a * b'))).toEqual([])
  })

  test('are the same in the folder of every agent', () => {
    expect(incompleteAgents(files)).toEqual([])
    const folder = 'packages/agents/src/a'
    const whole = ['index.ts', 'native.ts', 'map.ts', 'command.ts', 'map.test.ts', 'fixtures/a.ndjson']
    expect(incompleteAgents(whole.map((name) => `${folder}/${name}`))).toEqual([])
    expect(incompleteAgents([`${folder}/index.ts`, `${folder}/map.ts`])).toHaveLength(4)
  })

  test('index.ts is kept for published entries, dialects and agents', () => {
    expect(strayIndexes(files, manifests.flatMap(publishedEntries))).toEqual([])
    const text = JSON.stringify({ exports: { './b': { '@sluice/source': './src/b/index.ts' } } })
    const entries = publishedEntries(source('packages/a/package.json', text))
    const paths = ['packages/a/src/b/index.ts', `${DIALECTS}/x/index.ts`, `${DIALECTS}/x/y/index.ts`]
    expect(strayIndexes(paths, entries)).toEqual([expect.stringContaining('x/y/index.ts')])
  })
})

describe('time', () => {
  test('enters through Clock', () => {
    expect(strayTimes(sources)).toEqual([])
  })

  test.each(['Date.now()', 'const now = Date.now', 'new Date()', 'performance.now()', 'process.hrtime()'])(
    'does not enter through %s',
    (text) => {
      expect(strayTimes([source('packages/log/src/a.ts', text)], {})).toHaveLength(1)
      expect(strayTimes([source('packages/log/src/a.test.ts', text)], {})).toEqual([])
      expect(strayTimes([source('packages/log/src/testing/a.ts', text)], {})).toEqual([])
      expect(strayTimes([source('packages/log/src/a.ts', text)], { 'packages/log/src/a.ts': '' })).toEqual([])
    },
  )

  test('may be read from a Clock, and the list holds no file that does', () => {
    const clocked = source('packages/log/src/a.ts', 'new Date(clock.now())')
    expect(strayTimes([clocked], {})).toEqual([])
    expect(strayTimes([clocked], { 'packages/log/src/a.ts': '' })).toHaveLength(1)
    expect(strayTimes([], { 'packages/log/src/gone.ts': '' })).toHaveLength(1)
  })
})

describe('the time of day', () => {
  test('is no duration and no deadline', () => {
    expect(wallDurations(sources)).toEqual([])
  })

  test.each([
    'if (clock.now() - startedAt >= 10) stop()',
    'const until = parts.clock.now() + waitMs',
    'if (until <= clock.now()) stop()',
    'const seconds = (Date.now() - at) / 1000',
    'const now = clock.now()\nif (now - seenAt > 100) look()',
    'usedAt = clock.now()\nif (before < usedAt) stop()',
  ])('is found in %j', (text) => {
    const path = 'packages/log/src/a.ts'
    expect(wallDurations([source(path, text)], {})).toHaveLength(1)
    expect(wallDurations([source('packages/log/src/a.test.ts', text)], {})).toEqual([])
    expect(wallDurations([source(path, text)], { [path]: '' })).toEqual([])
    expect(wallDurations([source(path, text.replace(/(clock|Date)\.now/g, 'clock.monotonic'))], {})).toEqual(
      [],
    )
  })

  test.each([
    'const entry = { at: clock.now() }',
    'const now = () => clock.now()',
    'sort((a) => clock.now())',
  ])('may be stored: %s', (text) => {
    expect(wallDurations([source('packages/log/src/a.ts', text)], {})).toEqual([])
    expect(wallDurations([source('a.ts', text)], { 'a.ts': '' })).toHaveLength(1)
  })
})

describe('a switch over a kind', () => {
  const inner = 'switch (a) {\n      default:\n        return 1\n    }'
  const open = "switch (event.kind) {\n  case 'a':\n    return 0\n  default:\n    return 1\n}\n"
  const closed = `switch (event.kind) {\n  case 'a': {\n    ${inner}\n  }\n}\nswitch (b) {\n  default:\n}\n`

  test('names every kind, so that a new one is a type error', () => {
    expect(strayDefaults(sources)).toEqual([])
  })

  test('is found by its default', () => {
    expect(strayDefaults([source('packages/log/src/a.ts', open)], {})).toHaveLength(1)
    expect(strayDefaults([source('a.ts', open.replace('event.kind', 'kind'))], {})).toHaveLength(1)
    expect(strayDefaults([source('packages/log/src/a.ts', closed)], {})).toEqual([])
    expect(strayDefaults([source('a.ts', open)], { 'a.ts': '' })).toEqual([])
    expect(strayDefaults([source('a.ts', closed)], { 'a.ts': '' })).toHaveLength(1)
  })
})

describe('a field that may be undefined', () => {
  test('is left out by omitUndefined(), not by a conditional spread', () => {
    expect(sources.flatMap(undefinedSpreads)).toEqual([])
  })

  test.each([
    '...(a === undefined ? {} : { a }),',
    '{...(a.b === undefined ? {} : { b: a.b })}',
    '...(a !== undefined && { a }),',
  ])('is found in %s', (text) => {
    expect(undefinedSpreads(source('packages/log/src/a.ts', text))).toHaveLength(1)
    expect(undefinedSpreads(source('packages/log/src/a.test.ts', text))).toEqual([])
  })

  test('is not confused with a field that is left out for another reason', () => {
    expect(undefinedSpreads(source('a.ts', "...(a === '' ? {} : { a }), ...(b ? { b } : {})"))).toEqual([])
  })
})

describe('installing', () => {
  test('runs no script', () => {
    expect([read('package.json'), ...manifests].flatMap(installScripts)).toEqual([])
    expect(installScripts(source('package.json', '{"scripts":{"postinstall":"a","test":"b"}}'))).toHaveLength(
      1,
    )
  })

  test('asks for one version of each package', () => {
    expect(differingRanges(manifests)).toEqual([])
    const found = differingRanges([
      source('a/package.json', '{"dependencies":{"ws":"1","pino":"2"}}'),
      source('b/package.json', '{"dependencies":{"ws":"1","pino":"3"}}'),
      source('c/package.json', '{}'),
    ])
    expect(found).toEqual(['b/package.json: pino is 2 in a/package.json'])
  })

  test('works with every registry and on every platform', () => {
    expect(badLockEntries(lockFile)).toEqual([])
    expect(readFileSync('.npmrc', 'utf8')).not.toMatch(/registry\s*=\s*http/)
  })

  test.each([
    { 'node_modules/a': { resolved: 'https://example.org/a.tgz' } },
    { 'node_modules/a': { resolved: '../elsewhere', link: true } },
    { 'node_modules/a': { funding: 'http://10.0.0.1:4873/a' } },
    { 'node_modules/a': { funding: 'http://registry/a' } },
    { 'node_modules/a': { optionalDependencies: { 'a-darwin': '1.0.0' } } },
  ])('does not depend on %j', (packages) => {
    expect(badLockEntries(JSON.stringify({ packages }))).toHaveLength(1)
  })

  test('compares every package that it downloads with a SHA-512', () => {
    expect(unverifiedEntries(lockFile)).toEqual([])
  })

  test.each([
    {},
    { integrity: '' },
    { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    { integrity: 'sha512-short' },
    { integrity: `sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= ${SHA512}` },
  ])('does not take %j for a SHA-512', (entry) => {
    const packages = { '': {}, 'packages/a': {}, 'packages/a/node_modules/b': entry }
    expect(unverifiedEntries(JSON.stringify({ packages }))).toHaveLength(1)
  })

  test('needs no SHA-512 for workspaces, links and bundled packages', () => {
    const packages = {
      '': {},
      'packages/a': {},
      'node_modules/a': { resolved: 'packages/a', link: true },
      'node_modules/b': { integrity: SHA512 },
      'node_modules/b/node_modules/c': { inBundle: true },
    }
    expect(unverifiedEntries(JSON.stringify({ packages }))).toEqual([])
  })

  test('runs no script of a package, and knows what each would do', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m)
    expect([...scriptedPackages(lockFile)].sort()).toEqual(Object.keys(SCRIPTED_PACKAGES).sort())
    const packages = { 'packages/a/node_modules/@b/c': { hasInstallScript: true }, 'node_modules/d': {} }
    expect(scriptedPackages(JSON.stringify({ packages }))).toEqual(['@b/c'])
  })

  test('takes the versions of the lock file, which satisfy every range', () => {
    expect(unsatisfiedRanges('.')).toEqual([])
  })

  test.each([
    ['another version', { 'node_modules/a': { version: '1.0.0', integrity: SHA512 } }],
    ['no version', {}],
  ])('does not take %s for one that satisfies a range', (_, entries) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-file-'))
    try {
      const manifest = { name: 'b', version: '1.0.0', dependencies: { a: '^2.0.0' } }
      const lock = { name: 'b', lockfileVersion: 3, packages: { '': manifest, ...entries } }
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
      expect(unsatisfiedRanges(folder)).toHaveLength(1)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('every published package has a README and the licence', () => {
  const licence = readFileSync('LICENSE', 'utf8')
  for (const { path, text } of manifests) {
    if (JSON.parse(text).private === true) continue
    const folder = path.slice(0, -'/package.json'.length)
    expect(readFileSync(`${folder}/LICENSE`, 'utf8'), folder).toBe(licence)
    expect(readFileSync(`${folder}/README.md`, 'utf8'), folder).toMatch(/^# @sluice\/[a-z]+\n\n\S/)
  }
})

describe('ARCHITECTURE.md', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8')
  const look = (path: string): string | undefined => {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? undefined : found.isFile() ? readFileSync(path, 'utf8') : ''
  }

  test('names the files and functions on the way of an event as they are', () => {
    expect(wayFaults(page, look)).toEqual([])
  })

  test('maps folders and files that exist', () => {
    expect(mapFaults(page, look)).toEqual([])
  })

  test.each([
    [/admit\(\)/, 'accept()'],
    [/faces\/http\/guards\.ts/, 'faces/http/guard.ts'],
    [/That is \d+ files/, 'That is 5 files'],
  ])('has a way that is checked: %s', (pattern, wrong) => {
    expect(wayFaults(page.replace(pattern, wrong), look)).not.toEqual([])
  })

  test.each([
    ['window.ts', 'door.ts'],
    ['openapi/  ', 'swagger/ '],
    ['apps/console/src/', 'apps/panel/src/'],
  ])('has a map that is checked: %s', (name, wrong) => {
    expect(mapFaults(page.replace(name, wrong), look)).toHaveLength(1)
  })
})
