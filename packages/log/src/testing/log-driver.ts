import type { Log, LogStat } from '../log.ts'

/** What the suite needs to know of a driver. */
export interface LogDriver {
  readonly name: string
  /** Whether a reopened log still has its contents. */
  readonly survivesRestart: boolean
  readonly modelRuns: number
  create(): Promise<LogBench>
}

/** The size of a log's contents, without its size on disk. */
export type LogCounts = Omit<LogStat, 'diskBytes'>

/** A place where one log can be opened, repeatedly if it survives a restart. */
export interface LogBench {
  open(): Promise<Log>
  /** Counts the contents of the open log. */
  stat(log: Log): Promise<LogCounts>
  dispose(): Promise<void>
}
