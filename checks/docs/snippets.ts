import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { blocksOf } from './markdown.ts'

/** A block of a page that readers can run. */
export interface Snippet {
  /** Such as `README.md:12`. */
  readonly place: string
  readonly language: 'sh' | 'js'
  readonly text: string
  readonly exit: number
  /** What it prints on both outputs. A line that ends with … is compared only up to there. */
  readonly output?: string
}

/**
 * The blocks tagged `sh run` and `js run`, with `exit=N` if they end with a code other than 0. A block tagged
 * `text output` right after one holds what it prints.
 */
export function snippetsOf(path: string, markdown: string): readonly Snippet[] {
  const blocks = blocksOf(markdown)
  return blocks.flatMap(({ tags, text, line }, index): readonly Snippet[] => {
    const [language] = tags
    if (!tags.includes('run') || (language !== 'sh' && language !== 'js')) return []
    const next = blocks[index + 1]
    const exit = Number(tags.find((tag) => tag.startsWith('exit='))?.slice('exit='.length) ?? 0)
    const output = next?.tags.join(' ') === 'text output' ? { output: next.text } : {}
    return [{ place: `${path}:${line}`, language, text, exit, ...output }]
  })
}

export interface Printed {
  readonly exit: number | null
  readonly output: string
}

/** Runs a snippet in the repository's root, against the build in dist/. */
export function runSnippet(snippet: Snippet): Promise<Printed> {
  return snippet.language === 'sh' ? runShell(snippet.text) : runModule(snippet)
}

function runShell(text: string): Promise<Printed> {
  const script = text.replaceAll('npx sluice', `node ${join('packages', 'cli', 'bin', 'sluice.js')}`)
  return run('sh', ['-c', `exec 2>&1\n${script}`])
}

/** Node resolves `@sluice/…` from the folder of the module, so that must be inside the repository. */
async function runModule({ place, text }: Snippet): Promise<Printed> {
  const folder = resolve('node_modules', '.cache', 'sluice-docs')
  const file = join(folder, `${place.replace(/[^\w]+/g, '-')}-${process.pid}.mjs`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, text)
  try {
    return await run(process.execPath, [file])
  } finally {
    rmSync(file)
  }
}

function run(command: string, args: readonly string[]): Promise<Printed> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.on('error', fail)
    child.on('close', (exit) => done({ exit, output }))
  })
}

/** `printed` with every line cut where the same line of `expected` is. */
export function cutLike(expected: string, printed: string): string {
  const lines = expected.split('\n')
  return printed
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const wanted = lines[index] ?? ''
      return wanted.endsWith('…') ? `${line.slice(0, wanted.length - 1)}…` : line
    })
    .join('\n')
}
