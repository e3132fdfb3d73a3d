import type { Clock, SluiceError } from '@sluice/protocol'
import type { Backoff } from './backoff.ts'
import type { ConnectionListener, ConnectionState } from './connection-state.ts'
import { followSignal } from './follow-signal.ts'
import type { Page } from './page.ts'
import { pause, untilOnline } from './pause.ts'
import { isRetryable, retryAfterOf } from './problem.ts'

/** One try to connect, as the one who connects sees it. */
export interface Attempt {
  /** Aborted when the reader leaves, and by `giveUp`. */
  readonly signal: AbortSignal
  /** Ends the attempt: whatever waits on the signal fails with `error`. */
  giveUp(error: SluiceError): void
  /** The connection stands. `head` is where what is read stood then, as far as it is known; it may be told later. */
  opened(head?: string): void
  /** Everything that was there has been read. */
  caughtUp(): void
  /** The gateway asks for this first wait. */
  setRetryBase(ms: number): void
}

export interface StayConnectedOptions {
  readonly clock: Clock
  readonly page: Page
  readonly signal: AbortSignal
  readonly createBackoff: () => Backoff
  readonly onConnection: ConnectionListener | undefined
}

/** A connection that lasted so long was healthy, and the next failure is the first one again. */
const healthyMs = 10_000

/**
 * Yields what connections yield, one connection after the other, until one returns: that is the end. One that throws
 * something retryable is followed by another, for ever, later and later; anything else is thrown.
 */
export async function* stayConnected<T>(
  connect: (attempt: Attempt) => AsyncGenerator<T, void>,
  { clock, page, signal, createBackoff, onConnection }: StayConnectedOptions,
): AsyncGenerator<T, void> {
  const backoff = createBackoff()
  let status: ConnectionState['status'] | undefined
  const tell = (state: ConnectionState) => {
    status = state.status
    onConnection?.(state)
  }
  const report = (state: ConnectionState) => {
    if (state.status !== status) tell(state)
  }
  try {
    for (;;) {
      signal.throwIfAborted()
      if (!page.isOnline()) {
        report({ status: 'offline' })
        await untilOnline(page, signal)
      }
      report({ status: 'connecting' })
      let openedAt: number | undefined
      let knownHead: string | undefined
      const { controller, release } = followSignal(signal)
      try {
        yield* connect({
          signal: controller.signal,
          giveUp: (error) => controller.abort(error),
          opened(head) {
            openedAt ??= clock.now()
            const isNews = head !== undefined && head !== knownHead
            knownHead = head ?? knownHead
            if (status === 'connecting' || (status === 'catching-up' && isNews))
              tell({ status: 'catching-up', ...(head === undefined ? {} : { head }) })
          },
          caughtUp: () => report({ status: 'live' }),
          setRetryBase: backoff.setBase,
        })
        return
      } catch (thrown) {
        signal.throwIfAborted()
        const error: unknown = controller.signal.aborted ? controller.signal.reason : thrown
        if (!isRetryable(error)) throw error
        if (openedAt !== undefined && clock.now() - openedAt >= healthyMs) backoff.reset()
        const atLeastMs = retryAfterOf(error)
        const waitMs = backoff.next(atLeastMs)
        report({ status: 'waiting', untilMs: clock.now() + waitMs, error })
        await pause(waitMs, { clock, page, signal, endsOnWake: atLeastMs === undefined })
      } finally {
        controller.abort()
        release()
      }
    }
  } finally {
    report({ status: 'closed' })
  }
}
