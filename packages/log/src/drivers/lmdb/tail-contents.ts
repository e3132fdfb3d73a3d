import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { damagedData } from './damage.ts'
import { fileHeadBytes, listTailFiles, readFileHead, tailFileName } from './tail-file.ts'
import { readFrames } from './tail-frame.ts'
import type { TailPlace } from './tail-place.ts'

/** A tail file as found on the disk. Without a salt, its process ended while creating it. */
export interface FoundFile {
  readonly number: number
  readonly salt: number | undefined
  /** Where its last complete commit ends. */
  readonly end: number
  readonly bytes: Buffer
}

/** An incomplete commit at the end of a tail file. */
export interface TornTail {
  readonly file: string
  readonly bytes: number
}

/** The contents of all files of a tail. */
export interface TailContents {
  readonly place: TailPlace
  readonly files: readonly FoundFile[]
  /** What follows the last complete commit: a commit that a crash cut off. */
  readonly torn: TornTail | undefined
  /** One per commit. */
  readonly chunks: readonly Buffer[]
  readonly nextCommit: number
}

/**
 * Reads the tail from `place` on, without the commits from `endCommit` on. Omits a truncated commit at the
 * very end. Throws `damaged_data` when a complete commit follows a broken one, or when a file is missing.
 */
export async function readTailContents(
  directory: string,
  place: TailPlace,
  endCommit = Number.POSITIVE_INFINITY,
): Promise<TailContents> {
  const numbers = (await listTailFiles(directory)).filter((number) => number >= place.file)
  const files = await Promise.all(
    numbers.map(async (number) => ({
      number,
      bytes: await readFile(join(directory, tailFileName(number))),
    })),
  )
  return toTailContents(files, place, endCommit)
}

/** Like readTailContents(), for files that were read before. */
export function toTailContents(
  files: readonly Pick<FoundFile, 'number' | 'bytes'>[],
  place: TailPlace,
  endCommit = Number.POSITIVE_INFINITY,
): TailContents {
  if (files[0]?.number !== place.file) throw damaged(place.file, 'is missing.')
  const found: FoundFile[] = []
  const chunks: Buffer[] = []
  let torn: { readonly number: number; readonly bytes: number } | undefined
  for (const { number, bytes } of files) {
    const salt = readFileHead(bytes)
    if (salt === undefined) {
      // Commits are written only after the head is durable, and the tables name only such a file.
      if (number === place.file || bytes.length > fileHeadBytes)
        throw damaged(number, 'does not begin as it should.')
      found.push({ number, salt, end: 0, bytes })
      continue
    }
    const nextCommit = place.commit + chunks.length
    const frames = readFrames(bytes, { salt, from: fileHeadBytes, number: nextCommit, endCommit })
    if (frames.isDamaged) throw damaged(number, 'has a commit that cannot be read, and others follow it.')
    if (torn !== undefined && frames.chunks.length > 0)
      throw damaged(torn.number, 'has a commit that cannot be read, and others follow it.')
    if (frames.end < bytes.length) torn ??= { number, bytes: bytes.length - frames.end }
    for (const chunk of frames.chunks) chunks.push(chunk)
    found.push({ number, salt, end: frames.end, bytes })
  }
  return {
    place,
    files: found,
    torn: torn === undefined ? undefined : { file: tailFileName(torn.number), bytes: torn.bytes },
    chunks,
    nextCommit: place.commit + chunks.length,
  }
}

function damaged(number: number, what: string): Error {
  return damagedData(`${tailFileName(number)} ${what}`)
}
