import type { Client } from '@sluice/client'
import { type Clock, createBackoff, isRetryable, retry, type SluiceError } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import { toSluiceError } from '../to-sluice-error.ts'
import { type AnnouncementTerms, toChangedTerms, toTerms } from './announcement-terms.ts'

export interface FollowingParts {
  readonly client: Client
  readonly session: string
  readonly after: 'start' | 'now'
  readonly terms: AnnouncementTerms
  readonly clock: Clock
  /** Resolves when there is room for more; with true after the last event of the session. */
  hear(event: AaepFrame): Promise<boolean>
  onEnd(): void
  /** The events have failed, or the gateway refused a change of terms. */
  onFailure(error: SluiceError): void
}

/** One subscription to one session. After a lost connection it reconnects and continues after the last event. */
export interface Following {
  /** Requests other terms. Of several changes during a negotiation, only the last one counts. */
  setTerms(terms: AnnouncementTerms): void
  /** Ends the subscription, without an error if no gateway answers. No event is heard afterwards. */
  close(): Promise<void>
}

const subscriber = { id: 'sluice-announcer', name: 'Sluice announcer' }

/** Subscribes immediately. */
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
    while (wanted !== agreed && !signal.aborted) {
      let asked = wanted
      const ask = async (): Promise<void> => {
        asked = wanted
        await subscription.renegotiate(toChangedTerms(asked, agreed), { signal })
      }
      await retry(ask, {
        clock,
        signal,
        backoff: createBackoff({ baseMs: 500, maxMs: 15_000 }),
        isPassing: (thrown) => isRetryable(toSluiceError(thrown)),
      }).catch(fail)
      agreed = asked
    }
    isNegotiating = false
  }

  function fail(thrown: unknown): void {
    if (!signal.aborted) parts.onFailure(toSluiceError(thrown))
  }

  function close(): Promise<void> {
    closed.abort()
    closing ??= subscription.close().catch(() => {}) // the gateway closes an abandoned one later
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
