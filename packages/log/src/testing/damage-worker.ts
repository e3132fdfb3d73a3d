import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import { exportLog } from '../maintenance/export-log.ts'
import type { LogLoss } from '../maintenance/log-loss.ts'
import { repairLog } from '../maintenance/repair-log.ts'
import { statLog } from '../maintenance/stat-log.ts'
import { verifyLog } from '../maintenance/verify-log.ts'
import { copyLogFiles } from './copy-log-files.ts'
import type { DamageReport, DamageWork } from './run-damage.ts'
import { testRecord } from './test-record.ts'
import { codeOf } from './write-session.ts'

/*
 * A process that reads damaged logs, which may crash it. It answers every message with what was wrong.
 */
async function examine({ directory, sessions, deleted, isTailCut }: DamageWork): Promise<DamageReport> {
  const wrong: string[] = []
  const revived = new Set<string>()
  const expectRight = (session: string, seq: number, bytes: Uint8Array) => {
    if (deleted.includes(session)) revived.add(session)
    else if (seq >= (sessions[session] ?? 0)) wrong.push(`${session}:${seq} never was`)
    if (Buffer.compare(bytes, testRecord(session, seq)) !== 0) wrong.push(`${session}:${seq} is wrong`)
  }

  const notes: LogLoss[] = []
  const { problems } = await verifyLog(directory, ({ isNote, seq: _, ...note }) => {
    if (isNote === true) notes.push(note)
  })
  const opened = await readAsOwner(directory, { sessions, expectRight, wrong })
  const stat = await codeOf(statLog(directory))
  if (!['none', 'damaged_data', 'unreadable_input'].includes(stat)) wrong.push(`stat is refused with ${stat}`)

  const exported = await readExport(directory, expectRight)
  const missing = missingOf(sessions, exported)
  if (problems === 0 && ((missing.length > 0 && notes.length === 0 && !isTailCut) || !opened))
    wrong.push('verify finds nothing')

  const losses: LogLoss[] = []
  const { kept } = await repairLog(directory, (loss) => losses.push(loss))
  if ((kept === undefined) !== (problems === 0)) wrong.push('repair and verify disagree')
  const repaired = await verifyLog(directory, ({ isNote, ...problem }) => {
    if (isNote !== true) wrong.push(`after the repair: ${JSON.stringify(problem)}`)
  })
  if (repaired.problems > 0) wrong.push('the repaired log is damaged')
  const after = await readExport(directory, expectRight)
  const missingAfter = missingOf(sessions, after)
  if (missingAfter.join() !== missing.join()) wrong.push('repair and export save different entries')
  for (const [session, seq] of missingAfter)
    if (!isTailCut && !isNamed([...losses, ...notes], session, seq))
      wrong.push(`${session}:${seq} is not named`)
  if (!(await readAsOwner(directory, { sessions, expectRight, wrong })))
    wrong.push('the repaired log is refused')
  if (revived.size > 0 && !losses.some(({ message }) => message.includes('deleted')))
    wrong.push(`${[...revived].join(', ')} was deleted`)
  return { wrong, problems, missing: missing.length, losses: losses.length }
}

type ExpectRight = (session: string, seq: number, bytes: Uint8Array) => void

interface Owner extends Pick<DamageWork, 'sessions'> {
  readonly expectRight: ExpectRight
  readonly wrong: string[]
}

/** Whether the log opens. Then it reads every session, and writes to one. */
async function readAsOwner(directory: string, { sessions, expectRight, wrong }: Owner): Promise<boolean> {
  const copy = join(directory, 'opened')
  await copyLogFiles(directory, copy)
  let log: Awaited<ReturnType<typeof openLmdbLog>>
  try {
    log = await openLmdbLog({ directory: copy, minFreeBytes: 0 })
  } catch (error) {
    const code = await codeOf(Promise.reject(error))
    if (code !== 'damaged_data') wrong.push(`opening is refused with ${code}`)
    await rm(copy, { recursive: true })
    return false
  }
  for (const [session, count] of Object.entries(sessions)) {
    for (let seq = 0; seq < count; ) {
      try {
        const batch = await log.read(session, seq, { maxBytes: 1 << 20 })
        for (const record of batch) expectRight(session, record.seq, record.bytes)
        seq += Math.max(1, batch.length)
      } catch (error) {
        const code = await codeOf(Promise.reject(error))
        if (code !== 'damaged_data') wrong.push(`reading is refused with ${code}`)
        seq += 1
      }
    }
  }
  for (const work of [log.list({ limit: 1000 }), log.marks(''), log.openWriter('sess_p1')]) {
    const code = await codeOf(work)
    if (code !== 'none' && code !== 'damaged_data') wrong.push(`the log answers with ${code}`)
  }
  const lease = await log.openWriter('sess_new')
  await log.append({ lease, firstSeq: 0, at: 1, records: [testRecord('sess_new', 0)] })
  await log.close()
  await rm(copy, { recursive: true })
  return true
}

async function readExport(directory: string, expectRight: ExpectRight): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const { session, record } of exportLog(directory)) {
    expectRight(session, record.seq, record.bytes)
    found.add(`${session}:${record.seq}`)
  }
  return found
}

function missingOf(
  sessions: DamageWork['sessions'],
  found: ReadonlySet<string>,
): readonly (readonly [string, number])[] {
  return Object.entries(sessions).flatMap(([session, count]) =>
    Array.from({ length: count }, (_, seq) => [session, seq] as const).filter(
      ([, seq]) => !found.has(`${session}:${seq}`),
    ),
  )
}

/** By its session and number, by its session, or by the bytes of a file that may have held it. */
function isNamed(losses: readonly LogLoss[], session: string, seq: number): boolean {
  return losses.some((loss) => {
    if (loss.session === undefined) return loss.file !== undefined
    if (loss.session !== session) return false
    return (
      loss.fromSeq === undefined || (loss.fromSeq <= seq && seq <= (loss.toSeq ?? Number.POSITIVE_INFINITY))
    )
  })
}

process.on('message', (work: DamageWork) => {
  examine(work).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ wrong: [String(error instanceof Error ? error.stack : error)] }),
  )
})
