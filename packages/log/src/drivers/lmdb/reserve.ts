import { type FileHandle, open, stat } from 'node:fs/promises'

const pageBytes = 4096
// For the trees' own pages and the list of free pages.
const slackBytes = 16 * pageBytes
const minStepBytes = 2 * 1024 * 1024
const maxStepBytes = 16 * 1024 * 1024

/**
 * Space at the end of the store's file that is already allocated on the disk. The error path of lmdb's page
 * writer (3.5.6) writes beyond the end of a buffer, which can crash the process, so a full disk must be
 * detected before a write.
 */
export interface Reserve {
  /** Rejects with the error of the file system if the disk has no room for `bytes`. */
  ensure(bytes: number): Promise<void>
}

/** How a store's file is used. */
export interface FileUse {
  /** The size up to the last page that was ever in use. */
  reachedBytes(): number
  /** The size of the free pages before it. */
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
            // Contiguous free pages serve too, and almost certainly exist if half of the free pages suffice.
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
 * The size of the new pages that a value needs. A small value shares a page of its tree, which is rewritten
 * with it. For such a value this is an estimate, because several values of one write touch most of those
 * pages.
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
    // Gives back the space that a partial write took.
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
