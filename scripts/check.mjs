// Everything that CI checks: one line per static check, with its output only if it fails, then the tests.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runQuietly } from './run-quietly.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const setup = spawnSync(process.execPath, ['scripts/setup.mjs'], { stdio: 'inherit' })
if (setup.status !== 0) {
  console.log('0 passed, 1 failed')
  process.exit(1)
}

let failed = false
for (const [name, bin, ...args] of [
  ['format and lint', 'biome', 'ci', '--colors=off', '.'],
  ['types, tests included', 'tsc', '-b'],
  ['unused files, exports and dependencies', 'knip'],
  ...publishedPackages().flatMap(({ folder, exports }) => [
    [`what npm would publish of ${folder}`, 'publint', 'run', folder, '--strict'],
    ...(exports
      ? [[`types of ${folder} as its users see them`, 'attw', '--pack', folder, '--profile', 'esm-only']]
      : []),
  ]),
]) {
  const { code, output } = await runQuietly(join('node_modules', '.bin', bin), args, {
    env: { ...process.env, NO_COLOR: '1' },
    shell: process.platform === 'win32',
  })
  console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${name} (${[bin, ...args].join(' ')})`)
  if (code !== 0) console.log(output.trimEnd().replace(/^/gm, '        '))
  failed ||= code !== 0
}

const tests = spawnSync(process.execPath, ['scripts/test.mjs'], { stdio: 'inherit' })
process.exitCode = failed ? 1 : (tests.status ?? 1)

function publishedPackages() {
  return readdirSync('packages')
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter((manifest) => manifest.private !== true)
}
