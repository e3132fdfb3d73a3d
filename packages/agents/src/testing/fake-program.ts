import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One thing that a fake program does. */
export type FakeStep =
  /** Prints a line: a text as it is, anything else as JSON. */
  | { readonly print: unknown }
  /** Prints bytes as they are, without a line's end. */
  | { readonly bytes: string; readonly encoding?: 'utf8' | 'base64' }
  /** Writes to standard error. */
  | { readonly complain: string }
  /** Waits until standard input is at its end. */
  | { readonly awaitEnd: true }
  /** Waits for a line of standard input whose text contains this. */
  | { readonly awaitLine: string }
  /** Prints a JSON line in which "$LINE.a.b" is replaced by that member of the last awaited line. */
  | { readonly printFrom: unknown }
  /** Does nothing, for ever. */
  | { readonly hang: true }
  /** From here on ignores this signal. */
  | { readonly ignore: NodeJS.Signals }
  /** Starts a process in the same group that holds standard output open and never ends. */
  | { readonly grandchild: 'holds-pipe' | 'detached-output' }
  /** Waits until this file exists, so that a test decides when it goes on. */
  | { readonly awaitFile: string }
  | { readonly exit: number }
  | { readonly raise: NodeJS.Signals }

/** What a fake program was started with. */
export interface FakeCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
  /** What came on standard input until it ended or the program did. */
  readonly stdin: string
  readonly isStdinClosed: boolean
}

export interface FakeProgram {
  /** The program: give it as `program`. */
  readonly path: string
  /** The folder that it is in, for a path list. */
  readonly folder: string
  /** What it was called with the last time, as far as it has noted that. */
  call(): FakeCall | undefined
  /** Lets steps that wait for this file go on. */
  release(file: string): void
  remove(): void
}

const player = fileURLToPath(new URL('./fake-player.mjs', import.meta.url))

/** A program of this name that does these steps, in order, whatever it is asked. Exits with 0 behind the last. */
export function createFakeProgram(name: string, steps: readonly FakeStep[]): FakeProgram {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fake-'))
  const path = join(folder, name)
  const script = join(folder, 'steps.json')
  const record = join(folder, 'call.json')
  writeFileSync(script, JSON.stringify(steps))
  writeFileSync(
    path,
    `#!${process.execPath}\nimport(${JSON.stringify(player)}).then(({ play }) => play(${JSON.stringify(folder)}))\n`,
  )
  chmodSync(path, 0o755)
  return {
    path,
    folder,
    call: () => (existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as FakeCall) : undefined), // the player wrote it
    release: (file) => writeFileSync(join(folder, file), ''),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
