import { type ErrorCode, type JsonObject, SluiceError } from '@sluice/protocol'
import type { Append, ProducerMark, SessionHead, WriterLease } from '../log.ts'

/** What a driver knows of a session while it judges an append: what has been taken, durable or not. */
export interface Taken {
  readonly head: SessionHead | undefined
  readonly deleted: boolean
}

/** Who may write to which session. */
export interface Writers {
  /** Fences whoever had the session open, and answers the token of the next lease. */
  take(session: string): number
  /** Drops what is known of a session that takes no appends any more. */
  forget(session: string): void
  /** Why the append cannot be taken, or undefined. */
  refusal(append: Append, taken: Taken): SluiceError | undefined
  /** Makes every append of the lease fail that is called before the caller can know of this failure. */
  fail(lease: WriterLease, error: SluiceError): SluiceError
}

export function createWriters(): Writers {
  const tokens = new Map<string, number>()
  const failures = new Map<number, SluiceError>()
  let lastToken = 0

  return {
    take(session) {
      lastToken += 1
      tokens.set(session, lastToken)
      return lastToken
    },
    forget: (session) => void tokens.delete(session),
    refusal(append, { head, deleted }) {
      const { session, token } = append.lease
      const refuse = (code: ErrorCode) => new SluiceError(code, { details: { session } })
      if (deleted) return refuse('session_deleted')
      if (head?.endedAt !== undefined) return refuse('session_ended')
      if (tokens.get(session) !== token) return refuse('fenced')
      const failure = failures.size === 0 ? undefined : failures.get(token)
      if (failure !== undefined) return failure
      if (append.firstSeq !== (head?.lastSeq ?? -1) + 1) return refuse('log_conflict')
      return undefined
    },
    fail(lease, error) {
      failures.set(lease.token, error)
      // Runs before whoever awaits the rejection goes on, and after everything that was called beside it.
      queueMicrotask(() => failures.delete(lease.token))
      return error
    },
  }
}

/** What an append does to the head of its session, besides its records. */
export interface Advance {
  readonly lease: { readonly session: string }
  readonly at: number
  readonly ends?: boolean
  readonly producers?: Readonly<Record<string, ProducerMark>>
  readonly info?: JsonObject
}

/** The head of a session after an append of `count` records, which take `bytes`. */
export function advanceHead(
  head: SessionHead | undefined,
  { lease, at, ends, producers, info }: Advance,
  count: number,
  bytes: number,
): SessionHead {
  return {
    session: lease.session,
    createdAt: head === undefined ? at : head.createdAt,
    updatedAt: at,
    lastSeq: (head === undefined ? -1 : head.lastSeq) + count,
    bytes: (head === undefined ? 0 : head.bytes) + bytes,
    endedAt: ends === true ? at : undefined,
    producers:
      producers === undefined && head !== undefined
        ? head.producers
        : Object.assign(Object.create(null), head?.producers, producers), // names are the caller's: no prototype
    info: info ?? head?.info ?? {},
  }
}
