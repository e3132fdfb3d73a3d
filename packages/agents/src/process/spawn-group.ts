import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
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

/** A program with everything that it starts: one group of processes, without a shell and without a terminal. */
export interface ProcessGroup {
  readonly process: RunProcess
  /** To be iterated: who listens for `data` hears nothing. */
  readonly stdout: Readable
  readonly exited: Promise<ExitStatus>
  /** What it wrote to standard error, its first part. Never to be shown: only to be recognised. */
  readonly stderr: () => string
  /** Writes to its standard input; what it does not take any more is dropped. */
  write(text: string): void
  closeStdin(): void
  /** Ends the whole group, and what has left it; resolves when none of it is left. Again: the same. */
  end(): Promise<void>
}

const maxStderrBytes = 65_536

/** Starts a program. Rejects when it cannot be started: with `ENOENT` only if it is the program that is missing. */
export async function spawnGroup(
  { file, args, cwd, env }: GroupCommand,
  clock: Clock,
  escalation: Escalation,
): Promise<ProcessGroup> {
  // The system's word for a missing directory is that for a missing program.
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
  // It may close its input whenever it likes.
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  stderr.on('error', () => {})
  // Of a program that is gone Node throws away what nobody waits for.
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
  }
}

/** Takes everything, so that the program never waits, and keeps the beginning. */
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
