import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
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

/** The contents of all files of a tail. */
export interface TailContents {
  readonly place: TailPlace
  readonly files: readonly FoundFile[]
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
  if (files[0]?.number !== place.file) throw damaged(place.file, 'It is missing.')
  const found: FoundFile[] = []
  const chunks: Buffer[] = []
  let torn: number | undefined
  for (const { number, bytes } of files) {
    const salt = readFileHead(bytes)
    if (salt === undefined) {
      // Commits are written only after the head is durable, and the tables name only such a file.
      if (number === place.file || bytes.length > fileHeadBytes)
        throw damaged(number, 'Its beginning cannot be read.')
      found.push({ number, salt, end: 0, bytes })
      continue
    }
    const nextCommit = place.commit + chunks.length
    const frames = readFrames(bytes, { salt, from: fileHeadBytes, number: nextCommit, endCommit })
    if (frames.isDamaged) throw damaged(number, 'A commit cannot be read, and others follow it.')
    if (torn !== undefined && frames.chunks.length > 0)
      throw damaged(torn, 'A commit cannot be read, and others follow it.')
    if (frames.end < bytes.length) torn ??= number
    for (const chunk of frames.chunks) chunks.push(chunk)
    found.push({ number, salt, end: frames.end, bytes })
  }
  return { place, files: found, chunks, nextCommit: place.commit + chunks.length }
}

function damaged(number: number, message: string): SluiceError {
  return new SluiceError('damaged_data', {
    message: `The data directory is damaged: ${tailFileName(number)}. ${message}`,
  })
}
