import { statfs } from 'node:fs/promises'
import type { Clock, Timer } from '@sluice/protocol'

const checkEveryMs = 1000

/** Tells when the disk of a directory is nearly full. */
export interface FreeSpace {
  isLow(): boolean
  /** Looks at the disk if the last look is a second old; does not wait for the answer. */
  check(): void
  stop(): void
}

/** The bytes that are left for us on the disk of a directory; infinite where the system does not tell. */
export async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export async function watchFreeSpace(
  directory: string,
  minFreeBytes: number,
  clock: Clock,
  onChange: () => void,
): Promise<FreeSpace> {
  let low = false
  let stopped = false
  let watching = false
  let lookedAt = clock.now()
  let timer: Timer | undefined

  async function look(): Promise<void> {
    lookedAt = clock.now()
    const before = low
    low = (await freeBytes(directory)) < minFreeBytes
    if (stopped) return
    if (low) timer = clock.after(checkEveryMs, () => void look())
    if (watching && low !== before) onChange()
  }

  if (minFreeBytes > 0) await look()
  watching = true
  return {
    isLow: () => low,
    check() {
      // While it is low, the timer looks.
      if (minFreeBytes > 0 && !low && clock.now() - lookedAt >= checkEveryMs) void look()
    },
    stop() {
      stopped = true
      timer?.clear()
    },
  }
}
