import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Clock, RunProcess } from '@sluice/protocol'
import { type Escalation, endGroup, signalGroup } from './end-group.ts'
import { endMarked } from './end-marked.ts'
import { markerVariable } from './marked-processes.ts'
import { readStartMark } from './start-mark.ts'

export interface GroupCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

/** A program and everything that it starts, as one process group, without a shell and without a terminal. */
export interface ProcessGroup {
  readonly process: RunProcess
  /** Iterate it: a listener for `data` receives nothing. */
  readonly stdout: Readable
  readonly exited: Promise<ExitStatus>
  /** The first part of its standard error. For recognition only, never shown. */
  readonly stderr: () => string
  /** Writes to its standard input; drops the text if that is closed. */
  write(text: string): void
  closeStdin(): void
  /**
   * Ends the whole group, and processes that have left it; resolves when none is left. Every call returns the
   * same promise.
   */
  end(): Promise<void>
  /** Kills the whole group, and processes that have left it. */
  kill(): void
}

const maxStderrBytes = 65_536

/** Starts a program. Rejects if it cannot be started, with `ENOENT` only if the program itself is missing. */
export async function spawnGroup(
  { file, args, cwd, env }: GroupCommand,
  clock: Clock,
  escalation: Escalation,
): Promise<ProcessGroup> {
  // The system reports a missing directory like a missing program.
  if (!(await isDirectory(cwd))) throw new Error('The working directory cannot be used.')
  const marker = randomUUID()
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [markerVariable]: marker },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const { stdin, stdout, stderr } = child
  // The program may close its input at any time.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  stderr.on('error', () => {})
  // When a program exits, Node discards its output if nothing listens for it.
  stdout.on('readable', () => {})
  const errors = collect(stderr)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  child.on('error', () => {})
  const pid = child.pid as number // it was started
  const endAll = async (): Promise<void> => {
    if (signalGroup(pid, 0)) await endGroup(pid, clock, escalation)
    await endMarked(marker, clock, escalation)
    letGo()
  }
  /** A process that could not be found or ended may hold the pipes; it must not keep this process alive. */
  const letGo = (): void => {
    stdin.destroy()
    stderr.destroy()
    // It may still be read.
    if (stdout instanceof Socket) stdout.unref()
    child.unref()
  }
  let ended: Promise<void> | undefined
  return {
    process: { pid, startMark: (await readStartMark(pid)) ?? '', marker },
    stdout,
    exited,
    stderr: errors,
    write: (text) => void (stdin.writable && stdin.write(text)),
    closeStdin: () => void stdin.end(),
    end() {
      ended ??= endAll()
      return ended
    },
    kill() {
      signalGroup(pid, 'SIGKILL')
      void endMarked(marker, clock, [])
    },
  }
}

/** Reads everything, so that the program never blocks, and keeps the beginning. */
function collect(stream: Readable): () => string {
  const kept: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes >= maxStderrBytes) return
    kept.push(chunk.subarray(0, maxStderrBytes - bytes))
    bytes += chunk.length
  })
  return () => Buffer.concat(kept).toString('utf8')
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
