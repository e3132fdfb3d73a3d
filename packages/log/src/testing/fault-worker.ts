import { rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, createSystemClock } from '@sluice/protocol'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import type { Log, LogHealth } from '../log.ts'
import type { FaultReport, FaultWork } from './run-faults.ts'
import { testRecord } from './test-record.ts'
import { codeOf, nextSeq, readAll } from './write-session.ts'

/*
 * A process on a failing disk: it writes until an append is refused, checks that reading still works, waits
 * until writing works again, continues, and finally compares the log with what was acknowledged.
 */
const work = JSON.parse(process.argv[2] ?? '') as FaultWork // from runFaults()
const ballast = join(work.directory, 'ballast')
// Probes run early, so that the test need not wait.
const clock: Clock = {
  ...createSystemClock(),
  after: (ms, run) => createSystemClock().after(ms / 20, run),
}
const open = () =>
  openLmdbLog({
    directory: join(work.directory, 'data'),
    minFreeBytes: 0,
    regroupBytes: work.regroupBytes,
    clock,
  })

const sessions = Array.from({ length: 8 }, (_, index) => `sess_f${index}`)
/** By session, the attempt in which each record was acknowledged. */
const acknowledged = new Map<string, number[]>(sessions.map((session) => [session, []]))
const codes = new Set<string>()
const healths: LogHealth[] = []
let attempt = 0
let refusedIn = Number.POSITIVE_INFINITY
let wentOn = false

async function writeUntilRefused(log: Log, session: string, count: number): Promise<void> {
  const lease = await log.openWriter(session)
  const known = acknowledged.get(session) ?? []
  let seq = nextSeq(lease.head)
  for (let left = count; left > 0; left -= 4) {
    // Several at a time, so that some wait after the one that fails.
    const appends = [0, 1, 2, 3].map((index) =>
      log.append({
        lease,
        firstSeq: seq + index,
        at: 1,
        records: [testRecord(session, seq + index, attempt)],
      }),
    )
    seq += appends.length
    const results = await Promise.all(appends.map(codeOf))
    const refused = results.findIndex((code) => code !== 'none')
    for (const _ of results.slice(0, refused < 0 ? 4 : refused)) known.push(attempt)
    if (refused !== 0 && attempt > refusedIn) wentOn = true
    if (refused < 0) continue
    refusedIn = Math.min(refusedIn, attempt)
    for (const code of results.slice(refused)) codes.add(code)
    return
  }
}

async function countWrong(log: Log): Promise<number> {
  let wrong = 0
  for (const [session, attempts] of acknowledged) {
    const records = await readAll(log, session)
    if (records.length !== attempts.length) wrong += 1
    for (const { seq, bytes } of records) {
      if (Buffer.compare(bytes, testRecord(session, seq, attempts[seq])) !== 0) wrong += 1
    }
  }
  return wrong
}

async function untilWritable(log: Log): Promise<void> {
  if (log.health().writable) return
  await new Promise<void>((resolve) => {
    const stop = log.onHealth((health) => {
      if (!health.writable) return
      stop()
      resolve()
    })
  })
}

async function main(): Promise<FaultReport> {
  if (work.ballastBytes > 0) writeFileSync(ballast, Buffer.alloc(work.ballastBytes))
  const log = await open()
  log.onHealth((health) => healths.push(health))
  let wrongWhileRefusing = 0
  let wrongAfterwards = 0
  // Keeps the process alive while it waits for unreferenced timers.
  const awake = setInterval(() => {}, 1000)
  while (attempt < work.attempts) {
    await Promise.all(
      sessions.map((session) =>
        writeUntilRefused(log, session, attempt === 0 ? work.firstRecords : work.laterRecords),
      ),
    )
    wrongWhileRefusing += await countWrong(log)
    if (attempt === 0) rmSync(ballast, { force: true })
    await untilWritable(log)
    wrongAfterwards += await countWrong(log)
    attempt += 1
  }
  await log.close()
  const again = await open()
  const wrongAfterRestart = await countWrong(again)
  await again.close()
  clearInterval(awake)
  const records = [...acknowledged.values()].reduce((sum, attempts) => sum + attempts.length, 0)
  return {
    codes: [...codes],
    refusals: healths.filter(({ writable }) => !writable).length,
    wrongWhileRefusing,
    wrongAfterwards,
    wrongAfterRestart,
    records,
    wentOn,
  }
}

process.on('unhandledRejection', (error) => {
  writeSync(2, `unhandled rejection: ${String(error)}\n`)
  process.exit(70)
})
writeSync(1, JSON.stringify(await main()))
