// Installs the packages and compiles the sources, each only if something changed since it was last done.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquireLock } from './folder-lock.mjs'
import { runQuietly } from './run-quietly.mjs'

const MINIMUM_NODE = [20, 19]
const STAMP = 'node_modules/.sluice-setup.json'
const LOCK = '.sluice-setup.lock'

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
  return stamp.install === installHash() && stamp.build === buildHash() && isBuilt()
}

async function setUp() {
  const lock = await acquireLock(LOCK, {
    onWait: () => console.log('setup: waiting for another setup of this folder to end'),
  })
  try {
    await install(lock)
    await build(lock)
  } finally {
    lock.release()
  }
}

async function install(lock) {
  const stamp = readStamp()
  const hash = installHash()
  if (stamp.install === hash) return

  // npm writes that file at the end of an install. Without it, or after an install of ours that did not end,
  // node_modules may hold half a package: `npm ci` starts from nothing.
  const fresh = stamp.installing === true || !existsSync('node_modules/.package-lock.json')
  // `--no-save` also keeps npm from rewriting the lock file.
  const args = fresh ? ['ci'] : ['install', '--no-save']
  console.log(`setup: installing packages (npm ${args.join(' ')})`)
  if (!fresh) writeStamp({ installing: true })
  await npm(lock, [...args, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  writeStamp({ install: hash })
}

async function build(lock) {
  const { install, build } = readStamp()
  const hash = buildHash()
  if (build === hash && isBuilt()) return

  console.log('setup: compiling (tsc -b)')
  writeStamp({ install })
  await run(lock, 'tsc -b', process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...compiledFolders()])
  writeStamp({ install, build: hash })
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
  const files = readdirSync('.').filter((name) => /^tsconfig.*\.json$/.test(name))
  for (const folder of compiledFolders()) {
    files.push(manifestOf(folder), join(folder, 'tsconfig.json'))
    for (const entry of readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
        files.push(join(entry.parentPath, entry.name))
    }
  }
  return hashOf(readStamp().install ?? '', files)
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
  return compiledFolders().every((folder) => existsSync(join(folder, 'dist')))
}

function compiledFolders() {
  return workspaceFolders().filter(
    (folder) => existsSync(join(folder, 'tsconfig.json')) && existsSync(join(folder, 'src')),
  )
}

/** Every folder that a `folder/*` pattern of the workspaces names. */
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
