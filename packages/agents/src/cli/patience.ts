import type { Clock, Timer } from '@sluice/protocol'
import type { CliTimings } from './timings.ts'

/** How long is waited for an agent to say something, and to go. Time in which its reader is slow does not count. */
export interface Patience {
  /** Something is waited for from here on. */
  wait(): void
  /** It has come. */
  rest(): void
  /** The waiting begins anew, as when a question was answered. */
  renew(): void
  /** Whether the agent may be done: then less is waited for the next thing. */
  settle(mayBeDone: boolean): void
  /** The agent said that it is done; `run` is called if it has not exited in time. */
  linger(run: () => void): void
  /** The agent is gone: what it wrote may still be on its way. */
  exited(): void
  stop(): void
}

export interface PatienceEvents {
  /** Whether nothing needs to come, as while a person is asked. */
  isExcused(): boolean
  onIdle(): void
  /** Nothing comes any more, though somebody holds the pipe. */
  onUndrained(): void
}

export function createPatience(clock: Clock, timings: CliTimings, events: PatienceEvents): Patience {
  let waiting: Timer | undefined
  let lingering: Timer | undefined
  let isWaiting = false
  let mayBeDone = false
  let isGone = false
  let isStopped = false

  const arm = (): void => {
    waiting?.clear()
    if (!isWaiting) return
    if (isGone) waiting = clock.after(timings.drainMs, events.onUndrained)
    else if (!isStopped && !events.isExcused())
      waiting = clock.after(mayBeDone ? timings.settleMs : timings.idleMs, events.onIdle)
  }

  return {
    wait() {
      isWaiting = true
      arm()
    },
    rest() {
      isWaiting = false
      waiting?.clear()
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
