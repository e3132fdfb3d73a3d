export { type LmdbLogOptions, openLmdbLog } from './drivers/lmdb/open-lmdb-log.ts'
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
export {
  copyableRaw,
  decodeRecord,
  encodeRecord,
  entryBytes,
  type RecordNotes,
  recordNotes,
} from './record.ts'
