import { type ExecFileException, execFile } from 'node:child_process'
import { type Clock, omitUndefined, systemClock } from '@sluice/protocol'

const timeoutMs = 10_000
/** How long the output may outlast the program: another process may hold the pipe. */
const drainMs = 500

export interface VersionCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Kills the program. */
  readonly signal?: AbortSignal | undefined
}

/** The version that a program prints; undefined if it prints none. */
export function readVersion(
  { file, args, env, signal }: VersionCommand,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string): void =>
      resolve(error === null ? /\d+(?:\.\d+)+[\w.+-]*/.exec(stdout)?.[0] : undefined)
    const child = execFile(
      file,
      args,
      {
        env: { ...env },
        timeout: timeoutMs,
        // A program that ignores SIGTERM would block this forever.
        killSignal: 'SIGKILL',
        maxBuffer: 65_536,
        ...omitUndefined({ signal }),
      },
      done,
    )
    child.once('exit', () => {
      const timer = clock.after(drainMs, () => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      })
      child.once('close', () => timer.clear())
    })
  })
}
