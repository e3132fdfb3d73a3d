import { type Clock, SluiceError } from '@sluice/protocol'

/** A request body that is still arriving. */
export interface ArrivingBody {
  /** Since when nothing has arrived, in monotonic ms; undefined while nothing is read. */
  waitingSince: number | undefined
  fail(error: SluiceError): void
  /** The gateway stops. */
  stop(): void
}

/** All bodies that are arriving: gives up those that stall, and stops them all when the gateway stops. */
export interface BodyWatch {
  /** Watches a body until the returned function is called. */
  enter(body: ArrivingBody): () => void
  readonly clock: Clock
  readonly draining: AbortSignal
}

export interface BodyWatchOptions {
  readonly clock: Clock
  /** How long a body may stall. It is noticed a second late at most. */
  readonly idleMs: number
  /** Aborts when the gateway stops. */
  readonly draining: AbortSignal
}

const maxSweepMs = 1000

/** One timer and one listener for all bodies: a chunk of a body then costs neither. */
export function createBodyWatch({ clock, idleMs, draining }: BodyWatchOptions): BodyWatch {
  const bodies = new Set<ArrivingBody>()
  const sweepMs = Math.max(1, Math.min(maxSweepMs, idleMs / 4))
  let isScheduled = false

  const sweep = (): void => {
    isScheduled = false
    const before = clock.monotonic() - idleMs
    for (const body of [...bodies])
      if (body.waitingSince !== undefined && body.waitingSince <= before)
        body.fail(new SluiceError('request_timeout'))
    if (bodies.size > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    clock.after(sweepMs, sweep)
  }

  draining.addEventListener('abort', () => {
    for (const body of [...bodies]) body.stop()
  })

  return {
    clock,
    draining,
    enter(body) {
      bodies.add(body)
      schedule()
      return () => {
        bodies.delete(body)
      }
    },
  }
}
