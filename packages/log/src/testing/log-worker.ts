import { writeSync } from 'node:fs'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import { compactLog } from '../maintenance/copy-log.ts'
import type { LogReport, LogWork } from './run-worker.ts'
import { testRecord } from './test-record.ts'
import { nextSeq } from './write-session.ts'

/*
 * A process that writes to a log until it is killed, and reports each step before and after it. A report is
 * in the pipe before the next line of code runs.
 */
const work = JSON.parse(process.argv[2] ?? '') as LogWork // from startWorker()
const tell = (report: LogReport) => writeSync(1, `${JSON.stringify(report)}\n`)

if (work.kind === 'compact') {
  for (;;) {
    tell({ step: 'compacting' })
    await compactLog(work.directory)
    tell({ step: 'compacted' })
  }
}

const log = await openLmdbLog({ directory: work.directory, minFreeBytes: 0, regroupBytes: work.regroupBytes })
tell({ step: 'opened' })

async function write(session: string, count = Number.POSITIVE_INFINITY): Promise<void> {
  const lease = await log.openWriter(session)
  let seq = nextSeq(lease.head)
  for (let written = 0; written < count; ) {
    const size = 1 + (seq % 3)
    const records = Array.from({ length: size }, (_, index) => testRecord(session, seq + index))
    const last = seq + size - 1
    tell({ step: 'appending', session, seq: last })
    await log.append({
      lease,
      firstSeq: seq,
      records,
      at: 1000 + seq,
      producers: { p: { epoch: 1, seq: last } },
    })
    tell({ step: 'appended', session, seq: last })
    if (last % 10 === 0) await log.putCheckpoint(session, { seq: last, bytes: testRecord(session, last) })
    seq += size
    written += size
  }
}

async function writeAndDelete(): Promise<void> {
  for (let index = 0; ; index++) {
    const session = `sess_${work.name}n${index}`
    await write(session, 1 + (index % 40))
    tell({ step: 'deleting', session })
    await log.delete(session)
    tell({ step: 'deleted', session })
  }
}

const writing = Array.from({ length: 12 }, (_, index) => write(`sess_p${index}`, work.recordsPerSession))
await Promise.all([...writing, ...(work.kind === 'delete' ? [writeAndDelete()] : [])])
