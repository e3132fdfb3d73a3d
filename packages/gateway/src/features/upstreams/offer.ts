import type { Clock, Timer } from '@sluice/protocol'
import type { SessionTarget } from '../../access/caller.ts'
import type { Answerers } from '../../kernel/questions/answerers.ts'

export interface OfferParts {
  readonly clock: Clock
  readonly answerers: Answerers
  /** The running sessions of the producer. */
  sessions(): Iterable<SessionTarget>
  /** Represents the sessions that begin later. */
  readonly anySession: SessionTarget
  tell(offers: boolean): Promise<void>
  onFailed(error: unknown): void
}

/** Lets a remote producer know whether anyone here can answer its questions. */
export interface Offer {
  readonly isOn: boolean
  start(): void
  stop(): void
  /** Checks again: a session began or ended, or the producer may not know. */
  review(): void
}

/** A client that reconnects within this time does not count as gone. */
const graceMs = 10_000

export function createOffer({ clock, answerers, sessions, anySession, tell, onFailed }: OfferParts): Offer {
  let isOn = false
  let ending: Timer | undefined
  let telling: Promise<void> = Promise.resolve()
  let unlisten = (): void => {}

  const canAnswer = (): boolean => {
    if (answerers.canAnswer(anySession)) return true
    for (const session of sessions()) if (answerers.canAnswer(session)) return true
    return false
  }

  const set = (next: boolean): void => {
    isOn = next
    telling = telling.then(() => tell(isOn)).catch(onFailed)
  }

  const review = (): void => {
    if (canAnswer()) {
      ending?.clear()
      ending = undefined
      set(true)
    } else if (!isOn) set(false)
    else
      ending ??= clock.after(graceMs, () => {
        ending = undefined
        set(canAnswer())
      })
  }

  return {
    get isOn() {
      return isOn
    },
    start() {
      isOn = canAnswer()
      unlisten = answerers.onChange(review)
    },
    stop() {
      unlisten()
      ending?.clear()
    },
    review,
  }
}
