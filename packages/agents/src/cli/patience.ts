import type { Clock, Timer } from '@sluice/protocol'
import type { CliTimings } from './timings.ts'

/** Limits the waits for an agent's output and for its exit. Time that a slow reader takes does not count. */
export interface Patience {
  /** Starts waiting for output. */
  wait(): void
  /** Stops waiting: output has arrived. */
  rest(): void
  /** Restarts the wait, for example when a question is answered. */
  renew(): void
  /** Sets whether the agent may be done, which shortens the wait for further output. */
  settle(mayBeDone: boolean): void
  /** The agent has reported that it is done; calls `run` if it does not exit in time. */
  linger(run: () => void): void
  /** The agent has exited; some of its output may still arrive. */
  exited(): void
  stop(): void
}

export interface PatienceEvents {
  /** Whether the agent may be silent, for example while a person is asked. */
  isExcused(): boolean
  onIdle(): void
  /**
   * The output has not ended `drainMs` of waiting after the exit: some process holds the pipe, or still writes
   * to it.
   */
  onUndrained(): void
}

export function createPatience(clock: Clock, timings: CliTimings, events: PatienceEvents): Patience {
  let waiting: Timer | undefined
  let lingering: Timer | undefined
  let isWaiting = false
  let mayBeDone = false
  let isGone = false
  let isStopped = false
  let drainLeftMs = timings.drainMs
  let drainingSince: number | undefined

  const pause = (): void => {
    waiting?.clear()
    if (drainingSince !== undefined)
      drainLeftMs = Math.max(0, drainLeftMs - (clock.monotonic() - drainingSince))
    drainingSince = undefined
  }

  const arm = (): void => {
    pause()
    if (!isWaiting) return
    if (isGone) {
      drainingSince = clock.monotonic()
      waiting = afterReading(clock, drainLeftMs, events.onUndrained)
    } else if (!isStopped && !events.isExcused())
      waiting = afterReading(clock, mayBeDone ? timings.settleMs : timings.idleMs, events.onIdle)
  }

  return {
    wait() {
      isWaiting = true
      arm()
    },
    rest() {
      isWaiting = false
      pause()
    },
    renew: arm,
    settle(may) {
      mayBeDone = may
    },
    linger(run) {
      if (!isStopped && !isGone) lingering ??= clock.after(timings.lingerMs, run)
    },
    exited() {
      isGone = true
      lingering?.clear()
      arm()
    },
    stop() {
      isStopped = true
      lingering?.clear()
      arm()
    },
  }
}

/**
 * Runs after a time. A process that was held up meanwhile runs its timers before it reads, so what has arrived by then
 * is read first and clears the timer.
 */
function afterReading(clock: Clock, ms: number, run: () => void): Timer {
  let turn: NodeJS.Immediate | undefined
  const timer = clock.after(ms, () => {
    turn = setImmediate(run)
  })
  return {
    clear() {
      timer.clear()
      clearImmediate(turn)
    },
  }
}
