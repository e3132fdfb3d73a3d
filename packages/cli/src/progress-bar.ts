import type { Clock } from '@sluice/protocol'
import type { Io } from './io.ts'

export interface ProgressBar {
  /** Sets how many bytes of the input have been read so far. */
  advance(bytes: number): void
  /** Removes the bar from the screen, so that something else can be written. */
  clear(): void
}

const redrawMs = 100
const width = 24

/** A bar on standard error with rate and remaining time; nothing outside a terminal or if the size is unknown. */
export function createProgressBar(
  { stderr: stream, clock }: Pick<Io, 'stderr'> & { readonly clock: Pick<Clock, 'monotonic'> },
  totalBytes: number | undefined,
): ProgressBar {
  if (!stream.isTTY || totalBytes === undefined || totalBytes === 0) return { advance() {}, clear() {} }
  const started = clock.monotonic()
  let drawnAt = started
  let isShown = false
  return {
    advance(bytes) {
      const time = clock.monotonic()
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
