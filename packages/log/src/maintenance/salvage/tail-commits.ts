import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ReadAppend, readCommitChunk } from '../../drivers/lmdb/commit-chunk.ts'
import { fileHeadBytes, listTailFiles, readFileHead, tailFileName } from '../../drivers/lmdb/tail-file.ts'
import { frameAfter, frameHeadBytes } from '../../drivers/lmdb/tail-frame.ts'
import type { TailPlace } from '../../drivers/lmdb/tail-place.ts'
import type { OnLoss } from '../log-loss.ts'

export interface TailSearch {
  /** Where the tail begins; undefined if that cannot be read. */
  readonly place: TailPlace | undefined
  readonly onLoss: OnLoss
}

/** The commits in the tail files that can be read, in order. */
export async function* readAnyCommits(
  directory: string,
  { place, onLoss }: TailSearch,
): AsyncGenerator<Buffer> {
  const numbers = (await listTailFiles(directory)).filter((number) => number >= (place?.file ?? 0))
  if (place !== undefined && !numbers.includes(place.file))
    onLoss({ file: tailFileName(place.file), message: 'the file is missing' })
  let next = place?.commit ?? 0
  for (const number of numbers) {
    const file = tailFileName(number)
    const bytes = await readFile(join(directory, file))
    const isFirst = number === place?.file
    const salt = readFileHead(bytes) ?? (isFirst ? place.salt : undefined)
    // A crash may leave a later file without its head, and then without a commit.
    if (readFileHead(bytes) === undefined && (isFirst || bytes.length > fileHeadBytes))
      onLoss({ file, bytes: bytes.length, message: 'the file does not begin as it should' })
    if (salt === undefined) continue
    let end = fileHeadBytes
    for (;;) {
      const frame = frameAfter(bytes, { salt, from: end, number: next })
      const gapEnd = frame?.at ?? bytes.length
      if (gapEnd > end) tellGap(bytes.subarray(end, gapEnd), { file, onLoss })
      if (frame === undefined) break
      // Without a place, the first commit may have any number.
      if (gapEnd === end && frame.number > next && next > 0)
        onLoss({ file, message: `commits ${next} to ${frame.number - 1} are missing` })
      yield frame.chunk
      next = frame.number + 1
      end = frame.end
    }
  }
}

/** Names the entries of a damaged commit, as far as it can be parsed. */
function tellGap(bytes: Buffer, { file, onLoss }: { readonly file: string; readonly onLoss: OnLoss }): void {
  onLoss({ file, bytes: bytes.length, message: 'a commit cannot be read' })
  for (const { session, piece } of readAppends(bytes)) {
    if (piece.count === 0 || !/^[\x21-\x7e]{1,960}$/.test(session)) continue
    const { firstSeq, count } = piece
    const message = 'these entries were in a commit that cannot be read'
    onLoss({ session, fromSeq: firstSeq, toSeq: firstSeq + count - 1, message })
  }
}

function readAppends(bytes: Buffer): readonly ReadAppend[] {
  const appends: ReadAppend[] = []
  try {
    for (const append of readCommitChunk(bytes.subarray(frameHeadBytes))) appends.push(append)
  } catch {
    // The rest cannot be parsed.
  }
  return appends
}
