import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** What a worker is told to do. */
export interface LogWork {
  readonly kind: 'write' | 'delete' | 'compact'
  readonly directory: string
  /** In the ids of sessions that no other worker uses. */
  readonly name: string
  readonly regroupBytes: number
}

export type LogReport =
  | { readonly step: 'opened' | 'compacting' | 'compacted' }
  | { readonly step: 'appending' | 'appended'; readonly session: string; readonly seq: number }
  | { readonly step: 'deleting' | 'deleted'; readonly session: string }

export type Worker = ChildProcessByStdio<null, Readable, Readable>

/** The path of a script of this folder as it was built. */
export function builtScript(name: string): string {
  return fileURLToPath(new URL(`../../dist/testing/${name}.js`, import.meta.url))
}

/** Starts a worker, behind a command if one is given, and tells what it reports, until its pipe ends. */
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
  // The last line may be cut by the kill.
  lines.on('line', (line) => {
    if (line.endsWith('}')) onReport(JSON.parse(line) as LogReport, worker) // written by the worker
  })
  return new Promise((resolve) => worker.on('close', () => resolve(complaints)))
}
