// Installs the packages, compiles the sources, bundles the command and builds the console, each only if
// something changed since the last time.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquireLock } from './folder-lock.mjs'
import { runQuietly } from './run-quietly.mjs'

const MINIMUM_NODE = [20, 19]
const STAMP = 'node_modules/.sluice-setup.json'
const LOCK = '.sluice-setup.lock'
const CONSOLE = 'apps/console'
const COMMAND = 'packages/cli/src'
const BUNDLER = 'scripts/bundle-command.mjs'
const BUNDLED_COMMAND = 'packages/cli/bundle/main.js'
const BUILT_CONSOLE = 'packages/cli/dist/console/index.html'
/** The packages that become part of the console. */
const CONSOLE_PACKAGES = ['packages/protocol', 'packages/client', 'packages/react']

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

try {
  assertNodeVersion()
  if (!isDone(readStamp())) await setUp()
} catch (error) {
  process.stderr.write(`setup: ${error.message}\n`)
  process.exitCode = 1
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [needMajor, needMinor] = MINIMUM_NODE
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return
  throw new Error(`Node ${MINIMUM_NODE.join('.')} or later is needed, this is ${process.versions.node}`)
}

function isDone(stamp) {
  return (
    stamp.install === installHash() &&
    stamp.build === buildHash() &&
    isBuilt() &&
    (!existsSync(CONSOLE) || (stamp.console === consoleHash() && existsSync(BUILT_CONSOLE)))
  )
}

async function setUp() {
  const lock = await acquireLock(LOCK, {
    onWait: () => console.log('setup: waiting for another setup of this folder to end'),
  })
  try {
    await install(lock)
    await build(lock)
    if (existsSync(CONSOLE)) await buildConsole(lock)
  } finally {
    lock.release()
  }
}

async function install(lock) {
  const stamp = readStamp()
  const hash = installHash()
  if (stamp.install === hash) return

  // npm writes that file at the end of an install. Without it, or after an interrupted install, node_modules
  // may hold half a package: `npm ci` starts from scratch.
  const fresh = stamp.installing === true || !existsSync('node_modules/.package-lock.json')
  // `--no-save` also keeps npm from rewriting the lock file.
  const args = fresh ? ['ci'] : ['install', '--no-save']
  const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  console.log(`setup: installing packages (npm ${args.join(' ')})`)
  if (!fresh) {
    // `npm install` would download what the lock file lacks, with no hash to check; `npm ci` refuses.
    await npm(lock, ['ci', '--dry-run', ...options])
    writeStamp({ installing: true })
  }
  await npm(lock, [...args, ...options])
  writeStamp({ install: hash })
}

async function build(lock) {
  const { build, ...others } = readStamp()
  const hash = buildHash()
  if (build === hash && isBuilt()) return

  console.log('setup: compiling (tsc -b)')
  writeStamp(others)
  await run(lock, 'tsc -b', process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...compiledFolders()])
  if (existsSync(COMMAND)) await run(lock, 'bundling the command', process.execPath, [BUNDLER])
  writeStamp({ ...others, build: hash })
}

async function buildConsole(lock) {
  const { console: built, ...others } = readStamp()
  const hash = consoleHash()
  if (built === hash && existsSync(BUILT_CONSOLE)) return

  console.log('setup: building the console (vite build)')
  writeStamp(others)
  const env = { ...process.env, NODE_ENV: 'production' }
  await run(lock, 'vite build', process.execPath, ['node_modules/vite/bin/vite.js', 'build', CONSOLE], {
    env,
  })
  writeStamp({ ...others, console: hash })
}

function npm(lock, args) {
  const cli = process.env.npm_execpath
  const title = `npm ${args[0]}`
  if (cli?.endsWith('npm-cli.js')) return run(lock, title, process.execPath, [cli, ...args])
  return run(lock, title, 'npm', args, { shell: process.platform === 'win32' })
}

async function run(lock, title, command, args, options = {}) {
  const { code, output } = await runQuietly(command, args, { ...options, onStart: lock.adopt })
  if (code === 0) return
  process.stderr.write(output)
  throw new Error(`${title} failed with exit code ${code}`)
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'))
  } catch {
    return {}
  }
}

function writeStamp(stamp) {
  writeFileSync(`${STAMP}.part`, JSON.stringify(stamp))
  renameSync(`${STAMP}.part`, STAMP)
}

function installHash() {
  const files = ['package.json', 'package-lock.json', '.npmrc', ...workspaceFolders().map(manifestOf)]
  return hashOf(`${process.platform} ${process.arch}`, files)
}

function buildHash() {
  const files = [BUNDLER, ...readdirSync('.').filter((name) => /^tsconfig.*\.json$/.test(name))]
  for (const folder of compiledFolders())
    files.push(
      manifestOf(folder),
      join(folder, 'tsconfig.json'),
      ...sourcesIn(join(folder, 'src'), /\.tsx?$/),
    )
  return hashOf(readStamp().install ?? '', files)
}

function consoleHash() {
  const own = ['index.html', 'vite.config.ts', 'tsconfig.json', 'package.json'].map((name) =>
    join(CONSOLE, name),
  )
  const folders = [join(CONSOLE, 'src'), join(CONSOLE, 'public')]
  const shared = CONSOLE_PACKAGES.flatMap((folder) => [
    manifestOf(folder),
    ...sourcesIn(join(folder, 'src'), /\.tsx?$/),
  ])
  const files = [...own, ...folders.flatMap((folder) => sourcesIn(folder, /./)), ...shared]
  return hashOf(readStamp().install ?? '', files)
}

/** The files of a folder, except tests. */
function sourcesIn(folder, pattern) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

function hashOf(salt, files) {
  const hash = createHash('sha256').update(salt)
  for (const file of files.sort()) {
    hash.update(`\0${file}\0`)
    if (existsSync(file)) hash.update(readFileSync(file))
  }
  return hash.digest('hex')
}

function isBuilt() {
  const isBundled = !existsSync(COMMAND) || existsSync(BUNDLED_COMMAND)
  return isBundled && compiledFolders().every((folder) => existsSync(join(folder, 'dist')))
}

/** The workspaces that tsc writes a `dist` for. */
function compiledFolders() {
  return workspaceFolders().filter((folder) => {
    const config = join(folder, 'tsconfig.json')
    if (!existsSync(config) || !existsSync(join(folder, 'src'))) return false
    return JSON.parse(readFileSync(config, 'utf8')).compilerOptions?.noEmit !== true
  })
}

/** Every folder that matches a `folder/*` pattern of the workspaces. */
function workspaceFolders() {
  const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8'))
  return workspaces
    .map((pattern) => pattern.replace(/\/\*$/, ''))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)))
    .filter((folder) => existsSync(manifestOf(folder)))
}

function manifestOf(folder) {
  return join(folder, 'package.json')
}
