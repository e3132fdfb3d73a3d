import type { Clock, Timer } from '@sluice/protocol'
import type { Page } from './page.ts'

export interface WatchdogOptions {
  readonly clock: Clock
  readonly page: Page
  /** How often a live peer sends something. */
  readonly heartbeatMs: number
  /**
   * Called once, when the peer has been silent for 2.5 heartbeats, or when the page wakes and has reason for
   * doubt.
   */
  onDead(): void
}

/** Judges by what a peer sends whether it is alive. A half-open connection looks open for hours. */
export interface Watchdog {
  /** Starts counting silence. */
  listen(): void
  /** Stops counting: something has arrived, or nobody listens. */
  rest(): void
  stop(): void
}

export function createWatchdog({ clock, page, heartbeatMs, onDead }: WatchdogOptions): Watchdog {
  const deadlineMs = heartbeatMs * 2.5
  let since: number | undefined
  let timer: Timer | undefined
  const silenceMs = () => (since === undefined ? 0 : clock.monotonic() - since)
  const stopWaking = page.onWake((wake) => {
    // After sleep and network changes, timers and sockets cannot be trusted, and reading on over another
    // connection is cheap.
    if (since !== undefined && (wake !== 'visible' || silenceMs() > heartbeatMs)) die()
  })

  function die(): void {
    stop()
    onDead()
  }

  function stop(): void {
    since = undefined
    timer?.clear()
    timer = undefined
    stopWaking()
  }

  /** One timer runs over many reads: setting one for each chunk would cost more than the chunk. */
  function arm(ms: number): void {
    timer = clock.after(ms, () => {
      timer = undefined
      if (since === undefined) return
      const leftMs = deadlineMs - silenceMs()
      if (leftMs <= 0) die()
      else arm(leftMs)
    })
  }

  return {
    listen() {
      since = clock.monotonic()
      if (timer === undefined) arm(deadlineMs)
    },
    rest() {
      since = undefined
    },
    stop,
  }
}
