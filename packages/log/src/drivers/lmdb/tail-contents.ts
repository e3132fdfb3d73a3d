import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { fileHeadBytes, listTailFiles, readFileHead, tailFileName } from './tail-file.ts'
import { readFrames } from './tail-frame.ts'
import type { TailPlace } from './tail-place.ts'

/** A file of the tail as it was found: without a salt it was being made when its process ended. */
export interface FoundFile {
  readonly number: number
  readonly salt: number | undefined
  /** Where its last whole commit ends. */
  readonly end: number
  readonly bytes: Buffer
}

/** What the files of a tail hold. */
export interface TailContents {
  readonly place: TailPlace
  readonly files: readonly FoundFile[]
  /** One for each commit. */
  readonly chunks: readonly Buffer[]
  readonly nextCommit: number
}

/**
 * Reads the tail from `place` on, without the commits from `endCommit` on. A commit that was cut off, at the end of
 * all, is not there. Throws `damaged_data` when a whole commit stands behind a broken one, or a file is missing.
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

/** The same for files that were read before. */
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
      // A file is used when its head is durable, and the tables name one that can be used.
      if (number === place.file || bytes.length > fileHeadBytes)
        throw damaged(number, 'Its beginning cannot be read.')
      found.push({ number, salt, end: 0, bytes })
      continue
    }
    const nextCommit = place.commit + chunks.length
    const frames = readFrames(bytes, salt, fileHeadBytes, nextCommit, endCommit)
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
