import { type Clock, type SessionEnd, SluiceError, type SluiceEvent, type Source } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import type { Logger } from '../../ops/logger.ts'

export interface EndPatience {
  readonly clock: Clock
  readonly logger: Logger
  /** Once it aborts, a failed attempt is not repeated. */
  readonly stopping: AbortSignal
  /** Called when an attempt failed and will be repeated. */
  onWait?(): void
}

export interface Ending {
  /** Events that are stored with the end, in the same entry. */
  readonly before: readonly SluiceEvent[]
  readonly end: SessionEnd
  readonly direction: 'event' | 'system'
  readonly source: Source
}

/** How soon an end that could not be stored is tried again. */
const retryMs = 5_000

/**
 * Ends a session, retrying until the store accepts it. False if it gave up; true also if the session is
 * already gone.
 */
export async function endDurably(
  session: Session,
  { before, end, direction, source }: Ending,
  { clock, logger, stopping, onWait }: EndPatience,
): Promise<boolean> {
  for (;;) {
    const isLast = stopping.aborted
    try {
      await session.write((writer) =>
        writer.make((state) => (state.end === undefined ? [...before, end] : undefined), {
          direction,
          source,
        }),
      )
      return true
    } catch (error) {
      if (isGone(error)) return true
      logger.error({ session: session.id, err: error }, 'the end of a run could not be stored')
      if (isLast) return false
    }
    onWait?.()
    await pause(clock, stopping)
  }
}

/** The session has ended or was deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof SluiceError && (error.code === 'session_ended' || error.code === 'session_deleted')
}

function pause(clock: Clock, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.clear()
      stopping.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.after(retryMs, done)
    stopping.addEventListener('abort', done, { once: true })
    if (stopping.aborted) done()
  })
}
