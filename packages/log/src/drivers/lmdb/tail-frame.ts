import { crc32 } from 'node:zlib'

/*
 * One commit in a tail file. Numbers are little-endian:
 *
 *   u32 bytes of the chunk · u32 check · f64 number of the commit · chunk
 *
 * The check is the CRC-32 of number and chunk, begun with the sum of the file's salt and the length: what lies in a
 * record is no frame of the file that it lies in.
 */
export const frameHeadBytes = 16
const checkAt = 4
const numberAt = 8

/** What a tail file holds from one place on. */
export interface TailFrames {
  readonly chunks: readonly Buffer[]
  /** Where the last whole commit ends. */
  readonly end: number
  /** A later commit stands whole behind the end: that is damage, and no write that was cut off. */
  readonly isDamaged: boolean
}

/** Fills in the head of a frame whose chunk begins at `frameHeadBytes`. */
export function sealFrame(frame: Buffer, salt: number, number: number): void {
  frame.writeUInt32LE(frame.length - frameHeadBytes, 0)
  frame.writeDoubleLE(number, numberAt)
  frame.writeUInt32LE(checkOf(frame, salt), checkAt)
}

/** Reads the frames from `from` on, of which the first has the number `number`, up to the commit `endCommit`. */
export function readFrames(
  bytes: Buffer,
  salt: number,
  from: number,
  number: number,
  endCommit = Number.POSITIVE_INFINITY,
): TailFrames {
  const chunks: Buffer[] = []
  let end = from
  let next = number
  while (next < endCommit) {
    const frame = frameAt(bytes, salt, end)
    if (frame === undefined || frame.readDoubleLE(numberAt) !== next) break
    chunks.push(frame.subarray(frameHeadBytes))
    end += frame.length
    next += 1
  }
  return { chunks, end, isDamaged: next < endCommit && hasFrameBehind(bytes, salt, end, next) }
}

function checkOf(frame: Buffer, salt: number): number {
  return crc32(frame.subarray(numberAt), (salt + frame.readUInt32LE(0)) >>> 0)
}

function frameAt(bytes: Buffer, salt: number, at: number): Buffer | undefined {
  if (at + frameHeadBytes >= bytes.length) return undefined
  const end = at + frameHeadBytes + bytes.readUInt32LE(at)
  if (end === at + frameHeadBytes || end > bytes.length) return undefined
  const frame = bytes.subarray(at, end)
  return checkOf(frame, salt) === frame.readUInt32LE(checkAt) ? frame : undefined
}

function hasFrameBehind(bytes: Buffer, salt: number, at: number, number: number): boolean {
  for (let place = at; place + frameHeadBytes < bytes.length; place++) {
    // Of bytes that are something else, hardly any get beyond this.
    const found = bytes.readDoubleLE(place + numberAt)
    if (found >= number && found < number + 2 ** 32 && Number.isInteger(found)) {
      if (frameAt(bytes, salt, place) !== undefined) return true
    }
  }
  return false
}
