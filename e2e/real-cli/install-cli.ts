import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CliName } from './cli-home.ts'

const run = promisify(execFile)
const timeoutMs = 600_000

/** Installs a command-line agent from npm into the cache unless it is installed; returns its program. */
export async function installCli(cli: CliName): Promise<string> {
  const { package: name, version } = pinned(cli)
  const folder = join(cacheFolder(), `${cli}-${version}`)
  const program = join(folder, 'node_modules', '.bin', cli)
  if (existsSync(program)) return program
  // Other processes see all of it or nothing.
  const partial = `${folder}.${process.pid}`
  await mkdir(partial, { recursive: true })
  const options = ['--no-audit', '--no-fund', '--engine-strict=false', '--loglevel=error']
  await run('npm', ['install', '--prefix', partial, ...options, `${name}@${version}`], {
    cwd: partial,
    env: ownEnvironment(),
    timeout: timeoutMs,
  })
  await rename(partial, folder).catch(async (error: unknown) => {
    await rm(partial, { recursive: true, force: true })
    if (!existsSync(program)) throw error
  })
  return program
}

/** The version that is tested, and whose recordings are kept. */
export function pinned(cli: CliName): { readonly package: string; readonly version: string } {
  return versions[cli]
}

const versions = JSON.parse(readFileSync(new URL('./versions.json', import.meta.url), 'utf8')) as Readonly<
  Record<CliName, { readonly package: string; readonly version: string }>
> // the file is part of these tests

function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sluice', 'real-cli')
}

/** Without the variables that npm sets for its scripts: they would also configure the npm that runs here. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
}
