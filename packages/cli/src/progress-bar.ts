import type { Terminal } from './io.ts'

export interface ProgressBar {
  /** So many bytes of the input have been read. */
  advance(bytes: number): void
  /** Takes the bar off the screen, so that something else can be written. */
  clear(): void
}

const redrawMs = 100
const width = 24

/** A bar with rate and remaining time on a terminal; nothing anywhere else, or where the size is not known. */
export function createProgressBar(
  stream: Terminal,
  totalBytes: number | undefined,
  now: () => number = () => performance.now(),
): ProgressBar {
  if (!stream.isTTY || totalBytes === undefined || totalBytes === 0) return { advance() {}, clear() {} }
  const started = now()
  let drawnAt = started
  let isShown = false
  return {
    advance(bytes) {
      const time = now()
      if (time - drawnAt < redrawMs) return
      drawnAt = time
      isShown = true
      stream.redraw(formatProgress(bytes, totalBytes, time - started))
    },
    clear() {
      if (isShown) stream.redraw('')
      isShown = false
    },
  }
}

/** Such as `[######------] 50 %  12.3 MB/s  0:07 left`. */
export function formatProgress(bytes: number, totalBytes: number, elapsedMs: number): string {
  const share = Math.min(1, bytes / totalBytes)
  const filled = Math.round(share * width)
  const rate = bytes / Math.max(1, elapsedMs)
  const leftSeconds = Math.ceil((totalBytes - bytes) / Math.max(rate, 1e-9) / 1000)
  const left = `${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, '0')}`
  const bar = `${'#'.repeat(filled)}${'-'.repeat(width - filled)}`
  return `[${bar}] ${Math.floor(share * 100)} %  ${(rate / 1000).toFixed(1)} MB/s  ${left} left`
}
