// Bundles the compiled `sluice` command into packages/cli/bundle: loading about a thousand modules one by one
// takes longer than the rest of the start. The licences of the bundled packages are written next to it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'packages/cli')
const folder = join(cli, 'bundle')

// Not bundled: native code, and a package that starts threads from files.
const external = Object.keys(JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')).dependencies)

const bundle = await rolldown({
  input: { main: join(cli, 'dist/main.js') },
  platform: 'node',
  external,
})
const { output } = await bundle.write({
  dir: folder,
  cleanDir: true,
  format: 'esm',
  chunkFileNames: '[name].js',
  comments: { legal: false, annotation: true, jsdoc: false },
})

const packages = new Set(output.flatMap(({ moduleIds = [] }) => moduleIds.flatMap(packageOf)))
writeFileSync(join(folder, 'LICENSES.txt'), [...packages].sort().map(describe).join('\n\n---\n\n'))

/** The folder of the installed package that a module belongs to; empty for our own modules. */
function packageOf(id) {
  const [path] = id.split('?')
  const [, before, name] = /^(.*[\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path) ?? []
  return name === undefined ? [] : [join(before, name)]
}

function describe(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? '' : `\n\n${readFileSync(join(path, file), 'utf8').trim()}`
  return `${name} ${version} (${license})${text}`
}
