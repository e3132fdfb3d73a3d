import { type ChildProcess, fork } from 'node:child_process'
import { builtScript } from './run-worker.ts'

export interface DamageWork {
  readonly directory: string
  /** How many records each session has, and those that were deleted. */
  readonly sessions: Readonly<Record<string, number>>
  readonly deleted: readonly string[]
  /** The end of the tail may be missing, which leaves no trace. */
  readonly isTailCut: boolean
}

export interface DamageReport {
  /** What is wrong, in sentences. */
  readonly wrong: readonly string[]
  readonly problems?: number
  readonly missing?: number
  readonly losses?: number
}

/** A process that reads damaged logs. */
export interface DamageReader {
  /** Resolves with what is wrong, which may be that the process ended. */
  examine(work: DamageWork): Promise<DamageReport>
  end(): void
}

export function createDamageReader(): DamageReader {
  let child: ChildProcess | undefined
  return {
    examine(work) {
      child ??= fork(builtScript('damage-worker'), { execArgv: [] })
      const worker = child
      return new Promise((resolve) => {
        const ended = (code: number | null, signal: string | null) => {
          child = undefined
          resolve({ wrong: [`the process ended with ${signal ?? code}`] })
        }
        worker.once('exit', ended)
        worker.once('message', (report: DamageReport) => {
          worker.off('exit', ended)
          resolve(report)
        })
        worker.send(work)
      })
    },
    end: () => void child?.kill(),
  }
}
