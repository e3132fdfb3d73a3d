import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The task of a worker. */
export interface LogWork {
  readonly kind: 'write' | 'delete' | 'compact'
  readonly directory: string
  /** Part of the ids of sessions that no other worker uses. */
  readonly name: string
  readonly regroupBytes: number
  /** The most records of one session, so that the log does not outgrow a slow machine; unlimited by default. */
  readonly recordsPerSession?: number
}

export type LogReport =
  | { readonly step: 'opened' | 'compacting' | 'compacted' }
  | { readonly step: 'appending' | 'appended'; readonly session: string; readonly seq: number }
  | { readonly step: 'deleting' | 'deleted'; readonly session: string }

export type Worker = ChildProcessByStdio<null, Readable, Readable>

/** The path of the built version of a script in this folder. */
export function builtScript(name: string): string {
  return fileURLToPath(new URL(`../../dist/testing/${name}.js`, import.meta.url))
}

/** Starts a worker, under a command if one is given. Resolves with its standard error when it has ended. */
export function startWorker(
  work: LogWork,
  onReport: (report: LogReport, worker: Worker) => void,
  command: readonly string[] = [],
): Promise<string> {
  const [program = process.execPath, ...args] = [
    ...command,
    process.execPath,
    builtScript('log-worker'),
    JSON.stringify(work),
  ]
  const worker = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  worker.stderr.on('data', (chunk) => {
    complaints += String(chunk)
  })
  const lines = createInterface({ input: worker.stdout })
  // The kill may truncate the last line.
  lines.on('line', (line) => {
    if (line.endsWith('}')) onReport(JSON.parse(line) as LogReport, worker) // written by the worker
  })
  return new Promise((resolve) => worker.on('close', () => resolve(complaints)))
}
