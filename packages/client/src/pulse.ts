import type { Clock, Timer } from '@sluice/protocol'
import type { Page } from './page.ts'
import { createWatchdog } from './watchdog.ts'

export interface PulseOptions {
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
  /** Asks for a sign of life from a peer that has been silent for a heartbeat, if it gives none by itself. */
  readonly ask?: () => void
  /** Called once, when the peer counts as dead. */
  onDead(): void
}

/** Judges whether a peer is alive, if somebody listens to it all the time. */
export interface Pulse {
  /** Something has arrived. */
  heard(): void
  stop(): void
}

export function createPulse(options: PulseOptions): Pulse {
  const { clock, heartbeatMs, ask } = options
  const watchdog = createWatchdog({
    ...options,
    onDead() {
      timer?.clear()
      options.onDead()
    },
  })
  let heardAt = clock.monotonic()
  let isAsked = false
  let timer: Timer | undefined

  function check(): void {
    const silentMs = clock.monotonic() - heardAt
    if (silentMs >= heartbeatMs && !isAsked) {
      // The timers of a hidden page fire late. Silence does not mean that a peer is dead if it was not asked
      // in time.
      if (silentMs >= 2 * heartbeatMs) watchdog.listen()
      isAsked = true
      ask?.()
    }
    timer = clock.after(silentMs < heartbeatMs ? heartbeatMs - silentMs : heartbeatMs, check)
  }

  watchdog.listen()
  if (ask !== undefined) timer = clock.after(heartbeatMs, check)
  return {
    heard() {
      heardAt = clock.monotonic()
      isAsked = false
      watchdog.listen()
    },
    stop() {
      timer?.clear()
      watchdog.stop()
    },
  }
}
