import { type ExecFileException, execFile } from 'node:child_process'
import { type Clock, type StopSignal, systemClock } from '@sluice/protocol'

const timeoutMs = 10_000
/** How long the output may outlast the program: another process may hold the pipe. */
const drainMs = 500

export interface VersionCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Kills the program. */
  readonly signal?: StopSignal | undefined
}

/** The version that a program prints; undefined if it prints none. */
export function readVersion(
  { file, args, env, signal }: VersionCommand,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string): void =>
      resolve(error === null ? /(?<!\d)\d+(?:\.\d+)+[\w.+-]*/.exec(stdout)?.[0] : undefined)
    const options = {
      env: { ...env },
      timeout: timeoutMs,
      // A program that ignores SIGTERM would block this forever.
      killSignal: 'SIGKILL',
      maxBuffer: 65_536,
    } as const
    const child = execFile(file, args, options, done)
    const letGo = (): void => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const stop = (): void => {
      child.kill('SIGKILL')
      letGo()
    }
    signal?.addEventListener('abort', stop)
    child.once('exit', () => {
      const timer = clock.after(drainMs, letGo)
      child.once('close', () => timer.clear())
    })
    child.once('close', () => signal?.removeEventListener('abort', stop))
    if (signal?.aborted === true) stop()
  })
}
