import type { Readable, Writable } from 'node:stream'

export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Where a command reads and writes; the process's own streams outside of tests. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
}
