import { type FileHandle, open, stat } from 'node:fs/promises'

const pageBytes = 4096
// The trees' own pages and the list of free ones.
const slackBytes = 64 * pageBytes
const minStepBytes = 256 * 1024
const maxStepBytes = 16 * 1024 * 1024

/**
 * Room at the end of the store's file that is on the disk already. The error path of lmdb's page writer (3.5.6) writes
 * beyond the end of a buffer, which can end the process; so whether the disk has room is found out here, before.
 */
export interface Reserve {
  /** Rejects with the error of the file system when there is no room for so much. */
  ensure(bytes: number): Promise<void>
}

/** `readUsedBytes` tells how much of the file is in use; it may be slow. */
export function createReserve(path: string, readUsedBytes: () => number): Reserve {
  let room = 0
  return {
    async ensure(bytes) {
      const needed = bytes + slackBytes
      if (room < needed) {
        const { size } = await stat(path)
        room = size - readUsedBytes()
        if (room < needed) {
          const step = Math.min(maxStepBytes, Math.max(minStepBytes, size / 8))
          const added = Math.ceil(Math.max(needed - room, step))
          await appendZeros(path, size, added)
          room += added
        }
      }
      room -= needed
    },
  }
}

/** What a value may take in new pages, its place in a tree included. */
export function pagesFor(valueBytes: number): number {
  return (Math.ceil((valueBytes + 16) / pageBytes) + 1) * pageBytes
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
