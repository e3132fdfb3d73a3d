import { type ErrorCode, type JsonObject, SluiceError } from '@sluice/protocol'
import type { Append, ProducerMark, SessionHead, WriterLease } from '../log.ts'

/** The state of a session against which a driver checks an append: everything accepted, durable or not. */
export interface Taken {
  readonly head: SessionHead | undefined
  readonly deleted: boolean
}

/** Which lease may write to each session. */
export interface Writers {
  /** Fences the current writer of the session and returns the token of the next lease. */
  take(session: string): number
  /** Forgets a session that accepts no further appends. */
  forget(session: string): void
  /** Why the append is refused, or undefined. */
  refusal(append: Append, taken: Taken): SluiceError | undefined
  /** Makes all appends of the lease fail until the caller can see this failure. */
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
      // Runs after all calls of the same turn, and before the code that awaits the rejection continues.
      queueMicrotask(() => failures.delete(lease.token))
      return error
    },
  }
}

/** The effect of an append on the head of its session, apart from its records. */
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
  { count, bytes }: { readonly count: number; readonly bytes: number },
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
