import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One thing that a fake program does. */
export type FakeStep =
  /** Prints a line: a string unchanged, anything else as JSON. */
  | { readonly print: unknown }
  /** Prints bytes unchanged, without a line end. */
  | { readonly bytes: string; readonly encoding?: 'utf8' | 'base64' }
  /** Writes to standard error. */
  | { readonly complain: string }
  /** Waits for the end of standard input. */
  | { readonly awaitEnd: true }
  /** Waits for a line of standard input whose text contains this. */
  | { readonly awaitLine: string }
  /** Prints a JSON line in which "$LINE.a.b" is replaced by that member of the last awaited line. */
  | { readonly printFrom: unknown }
  /** Does nothing, forever. */
  | { readonly hang: true }
  /** From here on ignores this signal. */
  | { readonly ignore: NodeJS.Signals }
  /** Starts a process in the same group that holds standard output open, or not, and never ends. */
  | { readonly grandchild: 'holds-pipe' | 'detached-output' }
  /**
   * Starts a process that never ends, which no gateway can find: it only shares standard output and error. Its
   * pid is in this file.
   */
  | { readonly escape: string }
  /** Waits until this file exists, so that a test decides when the program continues. */
  | { readonly awaitFile: string }
  | { readonly exit: number }
  | { readonly raise: NodeJS.Signals }

/** How a fake program was started. */
export interface FakeCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
  /** The standard input up to its end, or up to the end of the program. */
  readonly stdin: string
  readonly isStdinClosed: boolean
}

export interface FakeProgram {
  /** The path of the program, for the option `program`. */
  readonly path: string
  /** The folder of the program, for a path list. */
  readonly folder: string
  /** The last call, as far as the program has recorded it. */
  call(): FakeCall | undefined
  /** Releases the steps that wait for this file. */
  release(file: string): void
  remove(): void
}

const player = fileURLToPath(new URL('./fake-player.mjs', import.meta.url))

/**
 * Creates a program of this name that does these steps in order, whatever its input. Exits with 0 after the
 * last.
 */
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
