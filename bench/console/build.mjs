import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeDirectory } from '../harness/servers.mjs'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const vite = join(repository, 'node_modules/vite/bin/vite.js')
const config = join(repository, 'apps/console/vite.config.ts')

/** The built pages: the console, and floors to compare it with. */
const pages = {
  console: 'apps/console',
  floor: 'bench/console/floor',
  react: 'bench/console/floor-react',
}

/** Builds a page in the same way as the console; returns its directory and the manifest of its files. */
export async function buildPage(name) {
  const directory = await makeDirectory()
  const args = [
    'build',
    pages[name],
    '--config',
    config,
    '--outDir',
    directory,
    '--emptyOutDir',
    '--manifest',
  ]
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, [vite, ...args], { cwd: repository, env })
  const manifest = JSON.parse(await readFile(join(directory, '.vite/manifest.json'), 'utf8'))
  return { directory, manifest }
}
