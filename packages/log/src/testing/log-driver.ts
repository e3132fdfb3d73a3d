import type { Log } from '../log.ts'

/** What the suite needs to know of a driver. */
export interface LogDriver {
  readonly name: string
  /** Whether a log that was closed and opened again has what it had. */
  readonly survivesRestart: boolean
  readonly modelRuns: number
  create(): Promise<LogBench>
}

/** A place where one log can be opened, again and again where it survives that. */
export interface LogBench {
  open(): Promise<Log>
  dispose(): Promise<void>
}
