import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { atMost, judge } from '../report/goal.mjs'
import { formatNumber } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'

const firstView = 'index.html'
const goal = atMost(150)

/** The script of the console, and of a page with React alone, in bytes as a browser receives them. */
export async function formatSizes(console, react) {
  const rows = []
  const floor = await sizeOf(react, filesOf(react.manifest, firstView))
  rows.push({ label: 'React alone', ...floor })
  const first = filesOf(console.manifest, firstView)
  rows.push({ label: 'console, first view', goal, ...(await sizeOf(console, first)) })
  for (const key of console.manifest[firstView].dynamicImports ?? []) {
    const files = new Set([...first, ...filesOf(console.manifest, key)])
    const label = `with the ${console.manifest[key].name.replace(/^load-/, '').replaceAll('-', ' ')}`
    rows.push({ label, ...(await sizeOf(console, files)) })
  }
  rows.push({ label: 'all of it', ...(await sizeOf(console, allFiles(console.manifest))) })
  return [
    'Script in KB (1000 bytes), each file compressed by itself: what the first view loads (the module of index.html and all that it',
    'imports), and that with each part that is loaded when it is needed. The ratio is that of gzip, to a page that renders nothing',
    'with React and react-dom, built by the same Vite with the same settings.',
    '',
    formatTable(
      ['script', 'files', 'as built', 'gzip -9', 'brotli', 'ratio', 'goal, gzip', 'met'],
      rows.map(({ label, files, bytes, gzip, brotli, goal }) => [
        label,
        files,
        ...[bytes, gzip, brotli].map((size) => formatNumber(size / 1000, 1)),
        formatNumber(gzip / floor.gzip, 2),
        ...judge(goal, [gzip / 1000]),
      ]),
    ),
  ].join('\n')
}

/** A file and everything that it imports statically. */
function filesOf(manifest, key, found = new Set()) {
  const { file, imports = [] } = manifest[key]
  if (found.has(file)) return found
  found.add(file)
  for (const imported of imports) filesOf(manifest, imported, found)
  return found
}

function allFiles(manifest) {
  const files = Object.values(manifest).map(({ file }) => file)
  return new Set(files.filter((file) => file.endsWith('.js')))
}

async function sizeOf({ directory }, files) {
  const sizes = { files: files.size, bytes: 0, gzip: 0, brotli: 0 }
  for (const file of files) {
    const bytes = await readFile(join(directory, file))
    sizes.bytes += bytes.length
    sizes.gzip += gzipSync(bytes, { level: 9 }).length
    sizes.brotli += brotliCompressSync(bytes).length
  }
  return sizes
}
