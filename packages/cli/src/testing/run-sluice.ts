import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const launcher = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a command runs, and what it finds in its environment besides the PATH. */
export interface RunPlace {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the real command, in the repository's root unless `place` says otherwise. */
export function startSluice(
  args: readonly string[],
  { cwd = repository, env = {} }: RunPlace = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [launcher, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } })
}

/** Runs the real command to its end, with `input` on standard input. */
export async function runSluice(
  args: readonly string[],
  input: string | Uint8Array = '',
  place: RunPlace = {},
): Promise<Run> {
  const child = startSluice(args, place)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  // A command that ends without reading closes the pipe; that is its right.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout: await stdout, stderr: await stderr }
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
