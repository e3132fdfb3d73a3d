import type { Append, Log } from '@sluice/log'
import { type ErrorCode, SluiceError } from '@sluice/protocol'

/** A log whose appends can be made to fail or to wait. */
export interface FaultyLog extends Log {
  /** From here on, appends fail with this code, as in a full or broken store; undefined repairs it. */
  fail(code: ErrorCode | undefined): void
  /** Fails the appends with these numbers, counted from the next one, which is 0. */
  failAppends(code: ErrorCode, ...which: readonly number[]): void
  /** Appends wait until the returned function is called. */
  hold(): () => void
  readonly appends: readonly Append[]
}

/**
 * Adds faults to a log. Appends reach it in order; a failed one makes the following ones fail until the
 * session is opened again, as every log does.
 */
export function createFaultyLog(log: Log): FaultyLog {
  let broken: ErrorCode | undefined
  let gate: Promise<void> = Promise.resolve()
  let isHeld = false
  let count = 0
  const chosen = new Map<number, ErrorCode>()
  const failed = new Set<number>()
  const appends: Append[] = []

  const append = async (request: Append): Promise<void> => {
    const code = chosen.get(count) ?? broken
    count += 1
    appends.push(request)
    if (isHeld) await gate
    if (failed.has(request.lease.token)) throw new SluiceError('storage_failed')
    if (code === undefined) return log.append(request)
    failed.add(request.lease.token)
    throw new SluiceError(code)
  }

  return {
    ...log,
    append,
    fail(code) {
      broken = code
    },
    failAppends(code, ...which) {
      for (const index of which) chosen.set(count + index, code)
    },
    hold() {
      let open = (): void => {}
      isHeld = true
      gate = new Promise((resolve) => {
        open = resolve
      })
      return () => {
        isHeld = false
        open()
      }
    },
    appends,
  }
}
