export { type LmdbLogOptions, openLmdbLog } from './drivers/lmdb/open-lmdb-log.ts'
export type { TornTail } from './drivers/lmdb/tail-contents.ts'
export { createMemoryLog } from './drivers/memory.ts'
export type {
  Append,
  Checkpoint,
  ListOptions,
  ListPlace,
  Log,
  LogHealth,
  LogRecord,
  LogStat,
  Mark,
  ProducerMark,
  ReadLimits,
  RetentionRule,
  SessionHead,
  WriterLease,
} from './log.ts'
export { backupLog, type Compaction, compactLog, restoreLog } from './maintenance/copy-log.ts'
export { type ExportedRecord, type ExportOptions, exportLog } from './maintenance/export-log.ts'
export type { LogLoss } from './maintenance/log-loss.ts'
export { type Repair, repairLog } from './maintenance/repair-log.ts'
export { statLog } from './maintenance/stat-log.ts'
export { type LogProblem, type Verification, verifyLog } from './maintenance/verify-log.ts'
export {
  cleanFrameOf,
  decodeEntry,
  decodeRecord,
  encodeRecord,
} from './record.ts'
