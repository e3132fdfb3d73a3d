import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@sluice/protocol'

/** Where a command writes. Only guardTerminal() makes one, and it lets no control character through. */
export interface Terminal {
  readonly isTTY: boolean
  /** The width in characters; undefined if unknown or not a terminal. */
  readonly columns?: number | undefined
  /** False when the reader is slow; `drain` follows when it has caught up. */
  write(text: string): boolean
  /** Replaces the current line with this text. */
  redraw(text: string): void
  on(event: 'error', listener: (error: Error) => void): void
  off(event: 'error', listener: (error: Error) => void): void
  once(event: 'drain', listener: () => void): void
}

/** The streams, environment variables and time of a command. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its timers do not keep the process alive. */
  readonly clock: Clock
}

/** An unguarded stream of a process. */
export interface RawStream extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The unguarded streams of a process. */
export interface RawIo extends Omit<Io, 'stdout' | 'stderr' | 'clock'> {
  readonly stdout: RawStream
  readonly stderr: RawStream
  /** Default: the system clock. */
  readonly clock?: Clock
}
