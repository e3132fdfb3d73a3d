import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TailContents } from './tail-contents.ts'
import { createTailFile, listTailFiles, reopenTailFile, type TailFile, tailFileName } from './tail-file.ts'
import type { TailPlace } from './tail-place.ts'

/** The end of the tail, where commits are written. After a rejection it may only be closed. */
export interface TailWriter {
  /** The number of the next commit. */
  nextCommit(): number
  /** Makes a commit durable. The head of its frame is still empty. One at a time. */
  append(frame: Buffer): Promise<void>
  /** Creates the file that turn() switches to. May run during an append. */
  prepare(): Promise<void>
  /** Makes the next commit the first one of a file and returns its place. Not during an append. */
  turn(): Promise<TailPlace>
  /** Removes the files before the one that the tables name; ignores failures. */
  removeBefore(place: TailPlace): Promise<void>
  /** Tests whether `bytes` more can be written. Rejects if not. */
  probe(bytes: number): Promise<void>
  close(): Promise<void>
}

/** Continues after the contents that were read, in the same file, or in another one if `fresh`. */
export async function openTailWriter(
  directory: string,
  contents: TailContents,
  { fresh = false } = {},
): Promise<TailWriter> {
  let lastNumber = contents.files.at(-1)?.number ?? 0
  let nextCommit = contents.nextCommit
  let file = await reopenAll(directory, contents)
  let prepared: TailFile | undefined

  async function makeNext(): Promise<TailFile> {
    lastNumber += 1
    return createTailFile(directory, lastNumber)
  }

  async function turn(): Promise<TailPlace> {
    if (!file.isEmpty()) {
      const before = file
      file = prepared ?? (await makeNext())
      prepared = undefined
      await before.close().catch(() => {}) // everything in it is synced
    }
    return { file: file.number, commit: nextCommit, salt: file.salt }
  }

  if (fresh) {
    await turn().catch(async (error: unknown) => {
      await file.close().catch(() => {})
      throw error
    })
  }
  return {
    nextCommit: () => nextCommit,
    async append(frame) {
      await file.append(frame, nextCommit)
      nextCommit += 1
    },
    async prepare() {
      if (!file.isEmpty()) prepared ??= await makeNext()
    },
    turn,
    async removeBefore(place) {
      await removeTailFiles(directory, place).catch(() => {}) // the next start tries again
    },
    probe: (bytes) => file.probe(bytes),
    async close() {
      await Promise.allSettled([file.close(), prepared?.close()])
    },
  }
}

async function removeTailFiles(directory: string, { file }: TailPlace): Promise<void> {
  for (const number of await listTailFiles(directory)) {
    if (number < file) await rm(join(directory, tailFileName(number)), { force: true })
  }
}

// The contents may not be on the disk yet, but count as durable from here on, so each file is synced.
async function reopenAll(directory: string, { files }: TailContents): Promise<TailFile> {
  let last: TailFile | undefined
  for (const { number, salt, end } of files) {
    if (salt === undefined) {
      await rm(join(directory, tailFileName(number)), { force: true })
      continue
    }
    await last?.close()
    last = await reopenTailFile(directory, { number, salt, length: end })
  }
  return last ?? createTailFile(directory, (files.at(-1)?.number ?? 0) + 1)
}
