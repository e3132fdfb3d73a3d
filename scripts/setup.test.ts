import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

// The scripts run in a separate folder, with an npm, a tsc and a vite that log their arguments.

const TSC = `
const { appendFileSync, existsSync, mkdirSync } = require('node:fs')
appendFileSync('log', 'tsc ' + process.argv.slice(2).join(' ') + '\\n')
if (existsSync('fail')) {
  console.log('a type error')
  process.exit(2)
}
mkdirSync('packages/a/dist', { recursive: true })
`

const VITE = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')
appendFileSync('log', 'vite ' + process.argv.slice(2).join(' ') + ' as ' + process.env.NODE_ENV + '\\n')
mkdirSync('packages/cli/dist/console', { recursive: true })
writeFileSync('packages/cli/dist/console/index.html', '')
`

const NPM = `
const { appendFileSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
appendFileSync('log', 'npm ' + args.slice(0, args.indexOf('--include=dev')).join(' ') + '\\n')
if (args.includes('--dry-run')) process.exit(existsSync('out-of-sync') ? 1 : 0)
if (args[0] === 'ci') rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules/typescript/bin', { recursive: true })
if (existsSync('hang')) {
  writeFileSync('hanging', String(process.pid))
  setTimeout(() => {}, 60_000)
} else {
  copyFileSync('tools/tsc', 'node_modules/typescript/bin/tsc')
  mkdirSync('node_modules/vite/bin', { recursive: true })
  copyFileSync('tools/vite.js', 'node_modules/vite/bin/vite.js')
  writeFileSync('node_modules/.package-lock.json', '{}')
}
`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-setup-'))
  for (const name of ['setup.mjs', 'folder-lock.mjs', 'run-quietly.mjs']) {
    cpSync(join('scripts', name), join(folder, 'scripts', name))
  }
  write('package.json', '{ "workspaces": ["packages/*"] }')
  write('package-lock.json', '{}')
  write('packages/a/package.json', '{}')
  write('packages/a/tsconfig.json', '{}')
  write('packages/a/src/a.ts', '')
  write('tools/npm-cli.js', NPM)
  write('tools/tsc', TSC)
  write('tools/vite.js', VITE)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function remove(path: string): void {
  rmSync(join(folder, path), { recursive: true })
}

/** The arguments that the tools logged since the last call. */
function requests(): readonly string[] {
  if (!existsSync(join(folder, 'log'))) return []
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  remove('log')
  return lines
}

function start(...nodeArgs: readonly string[]) {
  const child = spawn(process.execPath, [...nodeArgs, 'scripts/setup.mjs'], {
    cwd: folder,
    env: { ...process.env, npm_execpath: join(folder, 'tools/npm-cli.js') },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.stderr.on('data', (chunk) => chunks.push(chunk))
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }))
  })
  return { child, ended }
}

const setup = (...nodeArgs: readonly string[]) => start(...nodeArgs).ended

test('setup installs and compiles a fresh folder, then does nothing', async () => {
  expect(await setup()).toEqual({
    code: 0,
    output: 'setup: installing packages (npm ci)\nsetup: compiling (tsc -b)\n',
  })
  expect(requests()).toEqual(['npm ci', 'tsc -b packages/a'])
  expect(await setup()).toEqual({ code: 0, output: '' })
  expect(requests()).toEqual([])
})

test('setup installs what changed without rewriting the lock file', async () => {
  await setup()
  write('package-lock.json', '{ "packages": {} }')
  requests()
  await setup()
  expect(requests()).toEqual(['npm ci --dry-run', 'npm install --no-save', 'tsc -b packages/a'])
})

test('setup downloads nothing that the lock file lacks', async () => {
  await setup()
  write('packages/a/package.json', '{ "dependencies": { "b": "1.0.0" } }')
  write('out-of-sync', '')
  requests()
  for (let round = 0; round < 2; round += 1) {
    const { code, output } = await setup()
    expect(code).toBe(1)
    expect(output).toMatch(/setup: npm ci failed with exit code 1\n$/)
    expect(requests()).toEqual(['npm ci --dry-run'])
  }
  remove('out-of-sync')
  expect((await setup()).code).toBe(0)
  expect(requests()).toEqual(['npm ci --dry-run', 'npm install --no-save', 'tsc -b packages/a'])
})

test('setup compiles when a source changed or the output is gone, not when a test changed', async () => {
  await setup()
  requests()
  write('packages/a/src/a.test.ts', '')
  await setup()
  expect(requests()).toEqual([])
  write('packages/a/src/a.ts', 'export {}')
  await setup()
  expect(requests()).toEqual(['tsc -b packages/a'])
  remove('packages/a/dist')
  await setup()
  expect(requests()).toEqual(['tsc -b packages/a'])
})

describe('where there is a console', () => {
  const vite = 'vite build apps/console as production'

  beforeEach(() => {
    write('package.json', '{ "workspaces": ["packages/*", "apps/*"] }')
    write('apps/console/package.json', '{}')
    write('apps/console/tsconfig.json', '{ "compilerOptions": { "noEmit": true } }')
    write('apps/console/src/main.tsx', '')
    write('apps/console/index.html', '')
    write('packages/client/package.json', '{}')
    write('packages/client/src/index.ts', '')
  })

  test('setup builds it behind the sources, which it is no part of', async () => {
    expect(await setup()).toEqual({
      code: 0,
      output:
        'setup: installing packages (npm ci)\nsetup: compiling (tsc -b)\nsetup: building the console (vite build)\n',
    })
    expect(requests()).toEqual(['npm ci', 'tsc -b packages/a', vite])
    expect(await setup()).toEqual({ code: 0, output: '' })
    expect(requests()).toEqual([])
  })

  test.each([
    'apps/console/src/main.tsx',
    'apps/console/src/styles/page.css',
    'apps/console/public/favicon.svg',
    'apps/console/index.html',
    'apps/console/vite.config.ts',
    'packages/client/src/index.ts',
    'packages/react/src/hook.tsx',
  ])('setup builds it anew when %s changed', async (path) => {
    await setup()
    requests()
    write(path, '/* changed */')
    await setup()
    expect(requests()).toEqual([vite])
  })

  test('setup builds it anew when it is gone, and not when a test or another package changed', async () => {
    await setup()
    requests()
    write('apps/console/src/main.test.tsx', '')
    write('packages/client/src/index.test.ts', '')
    await setup()
    expect(requests()).toEqual([])
    write('packages/a/src/a.ts', 'export {}')
    await setup()
    expect(requests()).toEqual(['tsc -b packages/a'])
    remove('packages/cli/dist/console')
    await setup()
    expect(requests()).toEqual([vite])
  })
})

test('setup shows why it failed and does it again', async () => {
  write('fail', '')
  const { code, output } = await setup()
  expect(code).toBe(1)
  expect(output).toMatch(/a type error\nsetup: tsc -b failed with exit code 2\n$/)
  remove('fail')
  requests()
  expect((await setup()).code).toBe(0)
  expect(requests()).toEqual(['tsc -b packages/a'])
})

test.each(['first', 'later'])('setup starts from nothing after its %s install was killed', async (which) => {
  if (which === 'later') {
    await setup()
    write('package-lock.json', '{ "packages": {} }')
  }
  write('hang', '')
  const { child, ended } = start()
  await vi.waitFor(() => expect(existsSync(join(folder, 'hanging'))).toBe(true), 30_000)
  const npm = Number(readFileSync(join(folder, 'hanging'), 'utf8'))
  child.kill('SIGKILL')
  process.kill(npm, 'SIGKILL')
  await ended
  remove('hang')
  requests()
  expect((await setup()).code).toBe(0)
  expect(requests()).toEqual(['npm ci', 'tsc -b packages/a'])
})

test('setup lets one of several at once do the work', async () => {
  const all = await Promise.all([setup(), setup(), setup(), setup()])
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(requests()).toEqual(['npm ci', 'tsc -b packages/a'])
  expect(existsSync(join(folder, '.sluice-setup.lock'))).toBe(false)
})

test('setup waits for what a killed setup left running', async () => {
  write('hang', '')
  const first = start()
  await vi.waitFor(() => expect(existsSync(join(folder, 'hanging'))).toBe(true), 30_000)
  const npm = Number(readFileSync(join(folder, 'hanging'), 'utf8'))
  first.child.kill('SIGKILL')
  remove('hang')
  const second = start()
  const waiting = new Promise((resolve) => second.child.stdout.once('data', resolve))
  expect(String(await waiting)).toBe('setup: waiting for another setup of this folder to end\n')
  expect(requests()).toEqual(['npm ci'])
  process.kill(npm, 'SIGKILL')
  expect((await second.ended).code).toBe(0)
  expect(requests()).toEqual(['npm ci', 'tsc -b packages/a'])
})

test('setup ignores the lock of a process that is gone', async () => {
  const { child, ended } = start()
  await ended
  remove('node_modules')
  write('.sluice-setup.lock', JSON.stringify({ pid: child.pid, host: hostname(), token: 'gone' }))
  expect(await setup()).toMatchObject({ code: 0, output: expect.not.stringContaining('waiting') })
})

test('setup says in one line that Node is too old', async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.18.9' })"
  expect(await setup('--import', `data:text/javascript,${encodeURIComponent(old)}`)).toEqual({
    code: 1,
    output: 'setup: Node 20.19 or later is needed, this is 20.18.9\n',
  })
  expect(requests()).toEqual([])
})
