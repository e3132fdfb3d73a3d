import type { Client } from '@sluice/client'
import type { Clock, SluiceError } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import { isRetryable, retryWaitMs, waitFor } from '../session/retry.ts'
import { toSluiceError } from '../to-sluice-error.ts'
import { type AnnouncementTerms, toChangedTerms, toTerms } from './announcement-terms.ts'

export interface FollowingParts {
  readonly client: Client
  readonly session: string
  readonly after: 'start' | 'now'
  readonly terms: AnnouncementTerms
  readonly clock: Clock
  /** Resolves when there is room for more: with true after the last event of the session. */
  hear(event: AaepFrame): Promise<boolean>
  onEnd(): void
  /** Nothing more comes, or other terms were not taken. */
  onFailure(error: SluiceError): void
}

/** One subscription to one session. A lost connection is made anew, and goes on behind the last event. */
export interface Following {
  /** Asks for other terms; of several at once the last ones hold. */
  setTerms(terms: AnnouncementTerms): void
  /** Gives the subscription up, quietly where no gateway answers. Nothing is heard from then on. */
  close(): Promise<void>
}

const subscriber = { id: 'sluice-announcer', name: 'Sluice announcer' }

/** Asks for the subscription at once. */
export function followSession(parts: FollowingParts): Following {
  const { client, session, after, clock } = parts
  const closed = new AbortController()
  const { signal } = closed
  let wanted = parts.terms
  let agreed = parts.terms
  let isNegotiating = false
  let closing: Promise<void> | undefined
  const subscription = client.subscribeAaep(toTerms(wanted), { sessions: [session], after, subscriber })

  async function read(): Promise<void> {
    try {
      for await (const event of subscription) {
        if (signal.aborted || (await parts.hear(event))) break
      }
      if (!signal.aborted) parts.onEnd()
    } catch (thrown) {
      fail(thrown)
    }
    await close()
  }

  async function negotiate(): Promise<void> {
    if (isNegotiating) return
    isNegotiating = true
    for (let tries = 0; wanted !== agreed && !signal.aborted; tries++) {
      const asked = wanted
      try {
        await subscription.renegotiate(toChangedTerms(asked, agreed), { signal })
        agreed = asked
      } catch (thrown) {
        const error = toSluiceError(thrown)
        if (isRetryable(error)) await waitFor(clock, retryWaitMs(tries), signal)
        else {
          agreed = asked
          fail(error)
        }
      }
    }
    isNegotiating = false
  }

  function fail(thrown: unknown): void {
    if (!signal.aborted) parts.onFailure(toSluiceError(thrown))
  }

  function close(): Promise<void> {
    closed.abort()
    closing ??= subscription.close().catch(() => {}) // one that stays is closed by the gateway in time
    return closing
  }

  void read()
  return {
    setTerms(terms) {
      wanted = terms
      void negotiate()
    },
    close,
  }
}
