import type { PacedSession } from './paced-session.ts'
import type { PacedFrame } from './pacing/paced-frame.ts'
import { hasCritical } from './pacing/pacer.ts'

/** The sessions of a stream. They take turns; those with a critical event come first. */
export interface StreamSessions {
  readonly size: number
  get(id: string): PacedSession | undefined
  values(): Iterable<PacedSession>
  add(paced: PacedSession): void
  /** Closes a session and forgets it. */
  remove(paced: PacedSession): void
  /** Something happened to a session, so it may have something to send. */
  wake(paced: PacedSession): void
  /** The same for every session that waits. */
  wakeAll(): void
  /** The next event, or when to look again, in monotonic ms. From `readyAt` on, the rate allows an event. */
  next(now: number, readyAt: number): NextEvent | number
}

export interface NextEvent {
  readonly session: string
  readonly frame: PacedFrame
}

export function createStreamSessions(): StreamSessions {
  const sessions = new Map<string, PacedSession>()
  /** The sessions that may have something to send, in the order of their turns. */
  const pending = new Set<PacedSession>()
  /** Pending sessions that have nothing to send before a time, unless they are woken. */
  const restingUntil = new Map<PacedSession, number>()

  const wake = (paced: PacedSession): void => {
    pending.add(paced)
    restingUntil.delete(paced)
  }

  const remove = (paced: PacedSession): void => {
    sessions.delete(paced.session.id)
    pending.delete(paced)
    restingUntil.delete(paced)
    paced.close()
  }

  return {
    get size() {
      return sessions.size
    },
    get: (id) => sessions.get(id),
    values: () => sessions.values(),
    add(paced) {
      sessions.set(paced.session.id, paced)
      pending.add(paced)
    },
    remove,
    wake,
    wakeAll: () => restingUntil.clear(),
    next(now, readyAt) {
      let until = Number.POSITIVE_INFINITY
      const awake: PacedSession[] = []
      const urgent: PacedSession[] = []
      for (const paced of pending) {
        const rests = restingUntil.get(paced)
        if (rests !== undefined && rests > now) until = Math.min(until, rests)
        else if (hasCritical(paced.pacer)) urgent.push(paced)
        else awake.push(paced)
      }
      for (const paced of [...urgent, ...awake]) {
        const step = paced.step({ now, isReady: readyAt <= now })
        if (step.type === 'emit') {
          // To the end of the queue.
          pending.delete(paced)
          wake(paced)
          return { session: paced.session.id, frame: step.frame }
        }
        const rests = step.type === 'full' ? readyAt : step.until
        restingUntil.set(paced, rests)
        until = Math.min(until, rests)
        paced.fill()
        if (paced.isDone) remove(paced)
        else if (paced.isIdle) pending.delete(paced)
      }
      return until
    },
  }
}
