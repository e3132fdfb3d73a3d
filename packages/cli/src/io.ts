import type { Readable, Writable } from 'node:stream'

/** Where a command writes. It can be had from guardTerminal() alone, which lets no control character through. */
export interface Terminal {
  readonly isTTY: boolean
  /** How many characters a line of it holds; undefined where it is no terminal, or not known. */
  readonly columns?: number | undefined
  /** False when the reader is slow: `drain` tells when it has caught up. */
  write(text: string): boolean
  /** Puts this text in place of the line that the cursor is on. */
  redraw(text: string): void
  on(event: 'error', listener: (error: Error) => void): void
  off(event: 'error', listener: (error: Error) => void): void
  once(event: 'drain', listener: () => void): void
}

/** Where a command reads and writes. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A stream of a process, as it is. */
export interface RawStream extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The streams of a process, as they are. */
export interface RawIo extends Omit<Io, 'stdout' | 'stderr'> {
  readonly stdout: RawStream
  readonly stderr: RawStream
}
