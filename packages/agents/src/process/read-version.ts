import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000

/** The version that a program prints; undefined if it prints none. */
export async function readVersion(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(file, args, {
      env: { ...env },
      timeout: timeoutMs,
      // A program that ignores SIGTERM would block this forever.
      killSignal: 'SIGKILL',
      maxBuffer: 65_536,
    })
    return /\d+(?:\.\d+)+[\w.+-]*/.exec(stdout)?.[0]
  } catch {
    return undefined
  }
}
