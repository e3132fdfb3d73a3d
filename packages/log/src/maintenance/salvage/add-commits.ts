import { type ReadAppend, readCommitChunk } from '../../drivers/lmdb/commit-chunk.ts'
import { encodeHeadRow } from '../../drivers/lmdb/head-row.ts'
import { seqKey, sessionKey } from '../../drivers/lmdb/keys.ts'
import { planRegroup } from '../../drivers/lmdb/regroup.ts'
import { encodeLostChunk } from '../../drivers/lmdb/session-chunk.ts'
import type { Store } from '../../drivers/lmdb/store.ts'
import { adoptAppend, enterTail, loadTail, pieceBytes } from '../../drivers/lmdb/tail.ts'
import { advanceHead } from '../../drivers/writers.ts'
import type { SessionHead } from '../../log.ts'
import type { OnLoss } from '../log-loss.ts'

const anyPlace = { file: 0, commit: 0 }
const maxTailBytes = 8 * 1024 * 1024

/**
 * Adds commits of the tail to the tables. Entries that are missing before one are lost. Lists and counters must
 * be rebuilt afterwards.
 */
export async function addCommits(
  store: Store,
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  onLoss: OnLoss,
): Promise<void> {
  let tail = loadTail(store, [])

  async function regroup(): Promise<void> {
    await store.write(planRegroup(store, tail, { place: anyPlace }).fill)
    tail = loadTail(store, [])
  }

  async function add(append: ReadAppend): Promise<void> {
    const { session, at, ends, extra, piece } = append
    let entry = enterTail(store, tail, session)
    const next = (entry?.head?.lastSeq ?? -1) + 1
    // Undefined: it was deleted.
    if (entry === undefined || piece.firstSeq < next) return
    if (piece.firstSeq > next) {
      onLoss({ session, fromSeq: next, toSeq: piece.firstSeq - 1, message: 'entries are missing' })
      await regroup()
      await skipTo(store, append, entry.head)
      tail = loadTail(store, [])
      entry = enterTail(store, tail, session)
      if (entry === undefined) return
    }
    const advance = { lease: { session }, at, ends, ...extra }
    const head = advanceHead(entry.head, advance, { count: piece.count, bytes: pieceBytes(piece) })
    adoptAppend(tail, entry, { head, piece, marks: extra?.marks })
  }

  for await (const chunk of chunks) {
    for (const append of readCommitChunk(chunk)) await add(append)
    tail.bytes += chunk.length
    if (tail.bytes > maxTailBytes) await regroup()
  }
  if (tail.bytes > 0) await regroup()
}

/** Writes that everything between the head of a session and an append was lost. */
async function skipTo(store: Store, append: ReadAppend, before: SessionHead | undefined): Promise<void> {
  const { session, at, piece } = append
  const next = (before?.lastSeq ?? -1) + 1
  const head = advanceHead(before, { lease: { session }, at }, { count: piece.firstSeq - next, bytes: 0 })
  await store.write((batch) => {
    batch.put('records', seqKey(session, next), encodeLostChunk(session, next, piece.firstSeq - next))
    batch.put('heads', sessionKey(session), encodeHeadRow({ head, lastChunk: undefined }))
  })
}
