import {
  type Backoff,
  type Clock,
  isRetryable,
  omitUndefined,
  pause,
  retryAfterOf,
  type SluiceError,
} from '@sluice/protocol'
import type { ConnectionListener, ConnectionState } from './connection-state.ts'
import { followSignal } from './follow-signal.ts'
import { untilOnline } from './insist.ts'
import type { Page } from './page.ts'

/** One attempt to connect, as the code that connects sees it. */
export interface Attempt {
  /** Aborted when the reader leaves, and by `giveUp`. */
  readonly signal: AbortSignal
  /** Ends the attempt: everything that waits on the signal fails with `error`. */
  giveUp(error: SluiceError): void
  /**
   * The connection is open. `head` is the end of what is read at that time, if known; a later call may report
   * it.
   */
  opened(head?: string): void
  /** Everything that existed before has been read. */
  caughtUp(): void
  /** Sets the first wait between attempts, as the gateway requests it. */
  setRetryBase(ms: number): void
}

export interface StayConnectedOptions {
  readonly clock: Clock
  readonly page: Page
  readonly signal: AbortSignal
  readonly createBackoff: () => Backoff
  readonly onConnection: ConnectionListener | undefined
}

/** A connection that lasted this long was healthy: the next failure counts as the first. */
const healthyMs = 10_000

/**
 * Yields the items of one connection after another, until one returns. After a retryable error there is
 * another connection, forever, with growing waits; any other error is thrown.
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
            openedAt ??= clock.monotonic()
            const isNewHead = head !== undefined && head !== knownHead
            knownHead = head ?? knownHead
            if (status === 'connecting' || (status === 'catching-up' && isNewHead))
              tell(omitUndefined({ status: 'catching-up', head }))
          },
          caughtUp: () => report({ status: 'live' }),
          setRetryBase: backoff.setBase,
        })
        return
      } catch (thrown) {
        signal.throwIfAborted()
        const error: unknown = controller.signal.aborted ? controller.signal.reason : thrown
        if (!isRetryable(error)) throw error
        if (openedAt !== undefined && clock.monotonic() - openedAt >= healthyMs) backoff.reset()
        const atLeastMs = retryAfterOf(error)
        const waitMs = backoff.next(atLeastMs)
        report({ status: 'waiting', untilMs: clock.now() + waitMs, error })
        await pause(waitMs, { clock, signal, onWake: atLeastMs === undefined ? page.onWake : undefined })
      } finally {
        controller.abort()
        release()
      }
    }
  } finally {
    report({ status: 'closed' })
  }
}
