import { statfs } from 'node:fs/promises'
import type { Clock, Timer } from '@sluice/protocol'

const checkEveryMs = 1000

/** Whether the disk of a directory is nearly full. */
export interface FreeSpace {
  isLow(): boolean
  /** Checks the disk if the last check is a second old; does not wait for the result. */
  check(): void
  stop(): void
}

/** The bytes that this process may still use on the disk of a directory; infinite if the system does not say. */
export async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export interface FreeSpaceOptions {
  /** 0 turns the watch off. */
  readonly minFreeBytes: number
  readonly clock: Clock
  /** Called when the disk becomes nearly full, and when it no longer is. */
  readonly onChange: () => void
}

export async function watchFreeSpace(
  directory: string,
  { minFreeBytes, clock, onChange }: FreeSpaceOptions,
): Promise<FreeSpace> {
  let low = false
  let stopped = false
  let watching = false
  let lookedAt = clock.monotonic()
  let timer: Timer | undefined

  async function look(): Promise<void> {
    lookedAt = clock.monotonic()
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
      // While space is low, the timer checks.
      if (minFreeBytes > 0 && !low && clock.monotonic() - lookedAt >= checkEveryMs) void look()
    },
    stop() {
      stopped = true
      timer?.clear()
    },
  }
}
