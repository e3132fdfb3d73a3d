import { type Clock, createSseDecoder, SluiceError, type SseMessage } from '@sluice/protocol'
import type { Page } from './page.ts'
import { toUnreachable } from './problem.ts'
import type { Call, Requester } from './requester.ts'
import type { Attempt } from './stay-connected.ts'
import { createWatchdog } from './watchdog.ts'

/** The messages of one chunk. The first batch has none: it reports the head of the response. */
export interface SseBatch {
  readonly messages: readonly SseMessage[]
  /** The last event id; empty before the first. */
  readonly lastEventId: string
  /** The cursor of the session's end when the response started, if the gateway sent it. */
  readonly head: string | undefined
}

export interface SseParts {
  readonly requester: Requester
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
}

/** After this much silence, everything that existed before has surely arrived. */
export const quietMs = 1_000

/**
 * Reads one event stream, no faster than its consumer. Returns if the answer is 204; throws when a stream
 * ends, in whatever way, and when the peer falls silent.
 */
export async function* readSse(
  call: Call,
  attempt: Attempt,
  { requester, clock, page, heartbeatMs }: SseParts,
): AsyncGenerator<SseBatch, void> {
  const watchdog = createWatchdog({
    clock,
    page,
    heartbeatMs,
    onDead: () =>
      attempt.giveUp(new SluiceError('gateway_unreachable', { message: 'The gateway fell silent.' })),
  })
  try {
    watchdog.listen()
    const headers = { accept: 'text/event-stream', ...call.headers }
    const response = await requester.request({ ...call, headers, signal: attempt.signal })
    watchdog.rest()
    if (response.status === 204) return
    const type = response.headers.get('content-type') ?? ''
    if (response.body === null || !type.startsWith('text/event-stream'))
      throw new SluiceError('gateway_unreachable', { message: 'The answer is no event stream.' })
    const head = response.headers.get('sluice-cursor') ?? undefined
    attempt.opened(head)
    yield { messages: [], lastEventId: '', head }
    const reader = response.body.getReader()
    const decoder = createSseDecoder({ onRetry: attempt.setRetryBase })
    for (;;) {
      watchdog.listen()
      const quiet = clock.after(quietMs, attempt.caughtUp)
      const chunk = await reader
        .read()
        .catch((error: unknown) => {
          throw toUnreachable(error)
        })
        .finally(quiet.clear)
      watchdog.rest()
      if (chunk.done) throw new SluiceError('gateway_unreachable', { message: 'The stream broke off.' })
      const messages = decoder.push(chunk.value).map((result) => {
        if (result.ok) return result
        throw new SluiceError(result.code === 'event_too_long' ? 'event_too_large' : 'gateway_unreachable')
      })
      yield { messages, lastEventId: decoder.lastEventId(), head }
    }
  } finally {
    watchdog.stop()
  }
}
