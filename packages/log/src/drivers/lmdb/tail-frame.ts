import { crc32 } from 'node:zlib'

/*
 * One commit in a tail file. Numbers are little-endian:
 *
 *   u32 bytes of the chunk · u32 check · f64 number of the commit · chunk
 *
 * The check is the CRC-32 of number and chunk, seeded with the sum of the file's salt and the length, so that bytes
 * inside a record never look like a frame of the same file.
 */
export const frameHeadBytes = 16
const checkAt = 4
const numberAt = 8

/** What a tail file holds from one place on. */
export interface TailFrames {
  readonly chunks: readonly Buffer[]
  /** Where the last whole commit ends. */
  readonly end: number
  /** A later commit follows the end: the file is damaged, not just cut off while it was written. */
  readonly isDamaged: boolean
}

/** Fills in the head of a frame whose chunk begins at `frameHeadBytes`. */
export function sealFrame(frame: Buffer, salt: number, number: number): void {
  frame.writeUInt32LE(frame.length - frameHeadBytes, 0)
  frame.writeDoubleLE(number, numberAt)
  frame.writeUInt32LE(checkOf(frame, salt), checkAt)
}

/** Where frames are expected in a tail file. */
export interface FramePlace {
  readonly salt: number
  readonly from: number
  /** The number of the first commit there. */
  readonly number: number
  /** Reading stops before this commit. */
  readonly endCommit?: number
}

/** Reads the frames of a tail file from a place on. */
export function readFrames(bytes: Buffer, place: FramePlace): TailFrames {
  const { salt, from, number, endCommit = Number.POSITIVE_INFINITY } = place
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
  return {
    chunks,
    end,
    isDamaged: next < endCommit && frameAfter(bytes, { salt, from: end, number: next }) !== undefined,
  }
}

/** A commit that was found in a tail file. */
export interface FoundFrame {
  readonly at: number
  readonly end: number
  readonly number: number
  readonly chunk: Buffer
}

/** The first commit at or after `from` whose number is at least `number`. */
export function frameAfter(bytes: Buffer, { salt, from, number }: FramePlace): FoundFrame | undefined {
  for (let at = from; at + frameHeadBytes < bytes.length; at++) {
    // Hardly any other bytes pass this test.
    const found = bytes.readDoubleLE(at + numberAt)
    if (found < number || found >= number + 2 ** 32 || !Number.isInteger(found)) continue
    const frame = frameAt(bytes, salt, at)
    if (frame !== undefined)
      return { at, end: at + frame.length, number: found, chunk: frame.subarray(frameHeadBytes) }
  }
  return undefined
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
