import { randomBytes } from 'node:crypto'
import { close, fdatasync, fstat, fsync, ftruncate, open, type Stats, statSync, write } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { privateFileMode } from './private-files.ts'
import { sealFrame } from './tail-frame.ts'

/*
 * A tail file begins with: 4 bytes of magic · u32 salt · u32 CRC-32 of both. Frames follow.
 */
const magic = Buffer.from('slt1', 'latin1')
const saltAt = 4
const checkAt = 8
export const fileHeadBytes = 12

const openFile = promisify(open)
const closeFile = promisify(close)
const syncFile = promisify(fsync)
const syncData = promisify(fdatasync)
const writeSome = promisify(write)
const cutFile = promisify(ftruncate)
const statFile = promisify(fstat)

/** A tail file that is open for writing. */
export interface TailFile {
  readonly number: number
  readonly salt: number
  isEmpty(): boolean
  /**
   * Writes a frame after the last one and syncs it. Rejects if the file is no longer in its directory. After a
   * rejection the file may only be closed.
   */
  append(frame: Buffer, number: number): Promise<void>
  /** Tests whether `bytes` more can be written, and restores the file. Rejects if not. */
  probe(bytes: number): Promise<void>
  close(): Promise<void>
}

export function tailFileName(number: number): string {
  return `tail-${number}.log`
}

/** The numbers of the tail files in a directory, ascending. */
export async function listTailFiles(directory: string): Promise<readonly number[]> {
  const numbers = (await readdir(directory)).flatMap((name) => {
    const number = /^tail-(\d{1,15})\.log$/.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
  return numbers.sort((a, b) => a - b)
}

/** The salt of a file; undefined when its head is missing or invalid. */
export function readFileHead(bytes: Buffer): number | undefined {
  if (bytes.length < fileHeadBytes || bytes.compare(magic, 0, magic.length, 0, magic.length) !== 0)
    return undefined
  if (crc32(bytes.subarray(0, checkAt)) !== bytes.readUInt32LE(checkAt)) return undefined
  return bytes.readUInt32LE(saltAt)
}

/** Creates an empty file, durably. */
export async function createTailFile(directory: string, number: number): Promise<TailFile> {
  const path = join(directory, tailFileName(number))
  const head = Buffer.alloc(fileHeadBytes)
  magic.copy(head)
  randomBytes(4).copy(head, saltAt)
  head.writeUInt32LE(crc32(head.subarray(0, checkAt)), checkAt)
  const fd = await openFile(path, 'wx', privateFileMode)
  try {
    await writeAll(fd, head, 0)
    await syncFile(fd)
    await syncDirectory(directory)
    const state = { number, salt: head.readUInt32LE(saltAt), length: fileHeadBytes }
    return fileOf({ fd, path, made: await statFile(fd) }, state)
  } catch (error) {
    await closeFile(fd).catch(() => {})
    await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

export interface TailFileState {
  readonly number: number
  readonly salt: number
  readonly length: number
}

/** Opens a file to continue at `length`. When it resolves, everything after that is removed and the rest is durable. */
export async function reopenTailFile(directory: string, state: TailFileState): Promise<TailFile> {
  const { number, length } = state
  const path = join(directory, tailFileName(number))
  const fd = await openFile(path, 'r+')
  try {
    const made = await statFile(fd)
    if (made.size > length) await cutFile(fd, length)
    await syncFile(fd)
    return fileOf({ fd, path, made }, state)
  } catch (error) {
    await closeFile(fd).catch(() => {})
    throw error
  }
}

interface OpenFile {
  readonly fd: number
  readonly path: string
  readonly made: Pick<Stats, 'dev' | 'ino'>
}

/** A file that was removed or moved can still be written, but would be missing at the next start. */
function isInPlace({ path, made }: OpenFile): boolean {
  // Takes 5 microseconds; the asynchronous call takes longer than that.
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.ino === made.ino && found.dev === made.dev
}

function fileOf(open: OpenFile, state: TailFileState): TailFile {
  const { fd } = open
  const { number, salt } = state
  let { length } = state
  return {
    number,
    salt,
    isEmpty: () => length === fileHeadBytes,
    append(frame, commit) {
      sealFrame(frame, salt, commit)
      // Callbacks instead of promises: these two calls are the whole cost of a commit of one event.
      return new Promise((resolve, reject) => {
        const sync = () =>
          fdatasync(fd, (error) => {
            if (error !== null) {
              reject(error)
              return
            }
            length += frame.length
            if (isInPlace(open)) resolve()
            else reject(new Error('the file is no longer in its directory'))
          })
        const writeFrom = (done: number) =>
          write(fd, frame, done, frame.length - done, length + done, (error, count) => {
            if (error !== null) reject(error)
            else if (done + count < frame.length) writeFrom(done + count)
            else sync()
          })
        writeFrom(0)
      })
    },
    async probe(bytes) {
      await writeAll(fd, Buffer.alloc(bytes), length)
      await syncData(fd)
      await cutFile(fd, length)
      await syncFile(fd)
    },
    close: () => closeFile(fd),
  }
}

async function writeAll(fd: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

/** Makes the names of files created in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return // directories cannot be opened there
  const fd = await openFile(directory, 'r')
  try {
    await syncFile(fd)
  } finally {
    await closeFile(fd)
  }
}
