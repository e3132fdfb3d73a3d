import { spawn, spawnSync } from 'node:child_process'
import { builtScript } from './run-worker.ts'

export interface FaultWork {
  readonly directory: string
  readonly regroupBytes: number
  /** A file beside the log that is removed after the first refusal. */
  readonly ballastBytes: number
  /** How often to write until refused, or up to so many records in each session: the first time, and later. */
  readonly attempts: number
  readonly firstRecords: number
  readonly laterRecords: number
}

export interface FaultReport {
  /** With which appends were refused. */
  readonly codes: readonly string[]
  /** How often the log said that it cannot be written. */
  readonly refusals: number
  readonly wrongWhileRefusing: number
  readonly wrongAfterwards: number
  readonly wrongAfterRestart: number
  readonly records: number
  /** Whether something was taken after something had been refused. */
  readonly wentOn: boolean
}

/** Whether a command ends well here; the tests that need it are skipped otherwise. */
export function canRun(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** Runs the process that meets faults, behind a command that makes them. */
export async function runFaults(command: readonly string[], work: FaultWork): Promise<FaultReport> {
  const [program = process.execPath, ...args] = [
    ...command,
    process.execPath,
    builtScript('fault-worker'),
    JSON.stringify(work),
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let answer = ''
  let complaints = ''
  child.stdout.on('data', (chunk) => {
    answer += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    complaints += String(chunk)
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`the worker ended with ${code}: ${complaints}`)
  return JSON.parse(answer) as FaultReport // written by the worker
}
