import { type Clock, createSseDecoder, SluiceError, type SseMessage } from '@sluice/protocol'
import type { Page } from './page.ts'
import { toUnreachable } from './problem.ts'
import type { Call, Requester } from './requester.ts'
import type { Attempt } from './stay-connected.ts'
import { createWatchdog } from './watchdog.ts'

/** What came in one piece; the first is what the head of the answer tells. */
export interface SseBatch {
  readonly messages: readonly SseMessage[]
  /** The id in force; empty before the first. */
  readonly lastEventId: string
  /** Where the session stood when the answer began, if it says so. */
  readonly head: string | undefined
}

export interface SseParts {
  readonly requester: Requester
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
}

/** After so much silence everything that was there has surely come. */
export const quietMs = 1_000

/**
 * Reads one event stream, no faster than its consumer. Returns when the answer is 204; throws when a stream ends,
 * however it does, and when the peer falls silent.
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
