import { type FileHandle, open, stat } from 'node:fs/promises'

const pageBytes = 4096
// The trees' own pages and the list of free ones.
const slackBytes = 16 * pageBytes
const minStepBytes = 2 * 1024 * 1024
const maxStepBytes = 16 * 1024 * 1024

/**
 * Room at the end of the store's file that is on the disk already. The error path of lmdb's page writer (3.5.6) writes
 * beyond the end of a buffer, which can end the process; so whether the disk has room is found out here, before.
 */
export interface Reserve {
  /** Rejects with the error of the file system when there is no room for so much. */
  ensure(bytes: number): Promise<void>
}

/** How a store's file is used. */
export interface FileUse {
  /** Up to the last page that was ever in use. */
  reachedBytes(): number
  /** Before it, in pages that are free again. */
  freeBytes(): number
}

export function createReserve(path: string, use: FileUse): Reserve {
  let room = 0
  return {
    async ensure(bytes) {
      const needed = bytes + slackBytes
      if (room < needed) {
        const { size } = await stat(path)
        room = size - use.reachedBytes()
        if (room < needed) {
          const step = Math.min(maxStepBytes, Math.max(minStepBytes, size / 8))
          const added = Math.ceil(Math.max(needed - room, step) / pageBytes) * pageBytes
          try {
            await appendZeros(path, size, added)
          } catch (error) {
            // Free pages serve as well, as far as they lie side by side: with half of them that is all but certain.
            if (use.freeBytes() / 2 < needed) throw error
            return
          }
          room += added
        }
      }
      room -= needed
    },
  }
}

/**
 * What a value takes in new pages. A small one lies in a page of its tree with others, which is written anew with it:
 * for it this is an estimate, as most of those pages are touched by several values of one write.
 */
export function roomFor(valueBytes: number): number {
  if (valueBytes < pageBytes / 2) return 512 + 2 * valueBytes
  return (Math.ceil((valueBytes + 16) / pageBytes) + 0.25) * pageBytes
}

async function appendZeros(path: string, from: number, count: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await writeZeros(file, from, count)
  } catch (error) {
    // What was taken of the last room is given back.
    await file.truncate(from).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

async function writeZeros(file: FileHandle, from: number, count: number): Promise<void> {
  const zeros = Buffer.alloc(Math.min(count, 1024 * 1024))
  for (let done = 0; done < count; ) {
    const { bytesWritten } = await file.write(zeros, 0, Math.min(zeros.length, count - done), from + done)
    done += bytesWritten
  }
}
