import { open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import { copyLogFiles } from '../testing/copy-log-files.ts'
import { createDataDirectory, type DataDirectory } from '../testing/data-directory.ts'
import { createDamageReader } from '../testing/run-damage.ts'
import { runs } from '../testing/runs.ts'
import { testRecord } from '../testing/test-record.ts'
import { nextSeq } from '../testing/write-session.ts'

type Damage =
  | { readonly kind: 'flip'; readonly page: number; readonly place: number; readonly bit: number }
  | { readonly kind: 'zero' | 'garbage'; readonly page: number }
  | { readonly kind: 'cut'; readonly place: number }
  | { readonly kind: 'empty' }
  | { readonly kind: 'remove' }

const pageBytes = 4096
// Most bytes that matter are at both ends of a page.
const place = fc.oneof(
  fc.nat(80),
  fc.nat(pageBytes - 1),
  fc.integer({ min: pageBytes - 300, max: pageBytes - 1 }),
)
const page = fc.oneof({ weight: 1, arbitrary: fc.nat(1) }, { weight: 6, arbitrary: fc.nat(10_000) })
const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('flip' as const), page, place, bit: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('zero' as const, 'garbage' as const), page }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), place: fc.nat() }) },
  { weight: 1, arbitrary: fc.constantFrom<Damage>({ kind: 'empty' }, { kind: 'remove' }) },
)

describe('a damaged log', () => {
  const reader = createDamageReader()
  let directory: DataDirectory
  let whole: string
  let files: readonly string[]
  let usedPages: number
  const sessions: Record<string, number> = {}
  const deleted = ['sess_p3', 'sess_p11', 'sess_p17']

  beforeAll(async () => {
    directory = await createDataDirectory({ isQuick: true })
    whole = join(directory.path, 'whole')
    const log = await openLmdbLog({ directory: join(directory.path, 'made'), minFreeBytes: 0 })
    const write = async (session: string, count: number, ends: boolean) => {
      const lease = await log.openWriter(session)
      const firstSeq = nextSeq(lease.head)
      const records = Array.from({ length: count }, (_, index) => testRecord(session, firstSeq + index))
      await log.append({ lease, firstSeq, at: 1000 + firstSeq, records, ends, marks: { open: firstSeq } })
      await log.putCheckpoint(session, { seq: firstSeq, bytes: testRecord(session, firstSeq) })
      sessions[session] = firstSeq + count
    }
    const all = Array.from({ length: 20 }, (_, index) => index)
    // Three times, so that there are chunks that were extended, free pages, and pages of earlier states.
    await Promise.all(all.map((index) => write(`sess_p${index}`, 1 + (index % 20), false)))
    await log.retire({})
    await Promise.all(all.map((index) => write(`sess_p${index}`, 1 + (index % 7), index % 5 === 0)))
    for (const session of deleted) {
      await log.delete(session)
      delete sessions[session]
    }
    for (const index of [1, 2, 4, 1, 6]) await write(`sess_p${index}`, 2, false)
    await write('sess_tail', 5, true)
    await copyLogFiles(join(directory.path, 'made'), whole)
    await log.close()
    files = await readdir(whole)
    const bytes = await readFile(join(whole, 'log.mdb'))
    usedPages = Number(bytes.readBigUInt64LE(144)) + 1
  })
  afterAll(async () => {
    reader.end()
    await directory.remove()
  })

  async function apply(path: string, given: Damage): Promise<void> {
    const { size } = await stat(path)
    const pages = path.endsWith('.mdb') ? usedPages : Math.ceil(size / pageBytes)
    if (given.kind === 'remove') return rm(path)
    if (given.kind === 'empty') return truncate(path, 0)
    if (given.kind === 'cut') return truncate(path, given.place % Math.min(size, pages * pageBytes))
    const at = (given.page % pages) * pageBytes
    const file = await open(path, 'r+')
    try {
      const bytes = Buffer.alloc(Math.min(pageBytes, size - at), given.kind)
      if (given.kind === 'zero') bytes.fill(0)
      if (given.kind === 'flip') {
        await file.read(bytes, 0, bytes.length, at)
        const place = given.place % bytes.length
        bytes[place] = (bytes[place] ?? 0) ^ (1 << given.bit)
      }
      await file.write(bytes, 0, bytes.length, at)
    } finally {
      await file.close()
    }
  }

  async function examine(damages: readonly { readonly file: string; readonly damage: Damage }[]) {
    const path = join(directory.path, 'damaged')
    await rm(path, { recursive: true, force: true })
    await copyLogFiles(whole, path)
    for (const { file, damage: given } of damages) await apply(join(path, file), given)
    const isTailCut = damages.some(({ file, damage: { kind } }) => file.startsWith('tail') && kind === 'cut')
    const kept = new Map<string, Buffer>()
    for (const name of files) kept.set(name, await readFile(join(path, name)).catch(() => Buffer.alloc(0)))
    const report = await reader.examine({ directory: path, sessions, deleted, isTailCut })
    if ((report.problems ?? 0) > 0) {
      for (const name of files) {
        const bytes = await readFile(join(path, 'damaged-1', name)).catch(() => Buffer.alloc(0))
        if (!bytes.equals(kept.get(name) ?? bytes)) throw new Error(`${name} was not kept as it was`)
      }
    }
    return report
  }

  test('without damage has nothing to repair', async () => {
    expect(await examine([])).toEqual({ wrong: [], problems: 0, missing: 0, losses: 0 })
  })

  test('is told, crashes nothing, and everything that can be read is saved and the rest named', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1), damage, async (index, given) => {
        const file = files[index] ?? ''
        const { wrong, missing = 0 } = await examine([{ file, damage: given }])
        expect(wrong).toEqual([])
        // One byte belongs to at most one chunk of a session, or one commit.
        if (given.kind === 'flip') expect(missing).toBeLessThanOrEqual(27)
      }),
      { numRuns: runs(25) },
    )
  }, 600_000)
})
