import { spawn, spawnSync } from 'node:child_process'
import { builtScript } from './run-worker.ts'

export interface FaultWork {
  readonly directory: string
  readonly regroupBytes: number
  /** The size of a file beside the log that is removed after the first attempt. */
  readonly ballastBytes: number
  /** How often to write until refused, and the most records per session: in the first attempt, and later. */
  readonly attempts: number
  readonly firstRecords: number
  readonly laterRecords: number
}

export interface FaultReport {
  /** The codes with which appends were refused. */
  readonly codes: readonly string[]
  /** How often the log reported that it became unwritable. */
  readonly refusals: number
  readonly wrongWhileRefusing: number
  readonly wrongAfterwards: number
  readonly wrongAfterRestart: number
  readonly records: number
  /** Whether an append succeeded in an attempt after one with a refusal. */
  readonly wentOn: boolean
}

/** Whether a command succeeds here; otherwise the tests that need it are skipped. */
export function canRun(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** Runs the fault worker under a command that causes the faults. */
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
