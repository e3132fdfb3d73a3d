import { decodeEntry, type Log, type LogRecord, type SessionHead } from '@sluice/log'
import {
  type Clock,
  createSessionState,
  type Dialect,
  type Entry,
  omitUndefined,
  type SessionState,
  SluiceError,
} from '@sluice/protocol'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { createHub, type Hub, type HubOptions } from '../fan-out/hub.ts'
import type { RingBudget } from '../fan-out/ring-budget.ts'
import type { ViewLimits } from '../fan-out/view.ts'
import type { QuestionQuota } from '../questions/question-quota.ts'
import type { QuestionTokens } from '../questions/question-tokens.ts'
import { loadState } from './load-state.ts'
import { fromInfo, toInfo } from './session-info.ts'
import { createSessionTime, type SessionTime } from './session-time.ts'
import type { StateBudget } from './state-budget.ts'
import type { StoredBytes } from './stored-bytes.ts'
import { type Committed, openWriter, type Writer } from './writer.ts'

export interface SessionParts {
  readonly log: Log
  readonly clock: Clock
  readonly budget: RingBudget
  readonly states: StateBudget
  /** In which states are loaded for readers, and in which readers read. */
  readonly loads: ConcurrencyLimit
  readonly reads: ConcurrencyLimit
  readonly limits: ViewLimits & { readonly producersPerSession: number }
  readonly dialectOf: (id: string) => Dialect | undefined
  /** Called when something changed that lists of sessions show. */
  readonly onChanged: (session: Session) => void
  /** Called with the entries that became durable, in order; `storedAt` is monotonic. */
  readonly onEntries?: (session: string, entries: readonly Entry[], storedAt: number) => void
  /** Keeps the tokens of questions unique across sessions. */
  readonly tokens?: QuestionTokens
  /** Limits the open questions of all sessions. */
  readonly quota?: QuestionQuota
  readonly stored?: StoredBytes
  readonly onAppended: (seconds: number, records: number) => void
  readonly delivered: HubOptions['delivered']
}

/** A reader of a session. */
export interface Reader {
  reset(): void
}

/** A session in memory, with its writer and its readers. */
export interface Session {
  readonly id: string
  readonly hub: Hub
  readonly time: SessionTime
  /** The readers, which are reset when the session is deleted. */
  readonly readers: Set<Reader>
  /** Undefined until something is durable. */
  readonly head: SessionHead | undefined
  readonly lastSeq: number
  readonly isEnded: boolean
  /** Calls `use` with the writer, and opens the session for writing if necessary. */
  write<T>(use: (writer: Writer) => Promise<T>): Promise<T>
  read(fromSeq: number, maxBytes: number): Promise<readonly Entry[]>
  /** The same entries, not decoded. */
  readRecords(fromSeq: number, maxBytes: number): Promise<readonly LogRecord[]>
  entryAt(seq: number): Promise<Entry | undefined>
  stateAt(seq: number): Promise<SessionState>
  /** When it was last used, in monotonic ms. */
  readonly usedAt: number
  readonly isBusy: boolean
  /** Whether it is being written to. */
  readonly isWriting: boolean
  /** Prepares the session to leave memory: stores a checkpoint. The session remains usable. */
  rest(): Promise<void>
}

/**
 * How many states loaded for readers are kept, so that a thousand readers that reconnect together load only
 * one.
 */
const keptStates = 4
/**
 * A state at most this many entries before the wanted one is folded on, instead of starting from a
 * checkpoint.
 */
const nearEntries = 1024

export function createSession(id: string, opened: SessionHead | undefined, parts: SessionParts): Session {
  const { log, clock } = parts
  let head = opened
  let writer: Promise<Writer> | undefined
  let live: SessionState | undefined
  let uses = 0
  const time = createSessionTime(clock)
  if (opened !== undefined) time.reach(opened.updatedAt)
  let usedAt = clock.monotonic()
  let pendingAt: number | undefined
  const states = new Map<number, Promise<SessionState>>()

  const hub = createHub({
    clock,
    time,
    limits: parts.limits,
    budget: parts.budget,
    reads: parts.reads,
    delivered: parts.delivered,
    hasPendingBefore: (at) => pendingAt !== undefined && pendingAt <= at,
  })

  const onCommitted = ({ at, storedAt, entries, state, weight, info, ended }: Committed): void => {
    live = state
    parts.states.set(id, weight)
    const before = head
    const known = head === undefined ? undefined : toInfo(head.info)
    head = {
      session: id,
      createdAt: head?.createdAt ?? at,
      updatedAt: at,
      lastSeq: state.seq,
      bytes: head?.bytes ?? 0,
      endedAt: ended ? (head?.endedAt ?? at) : undefined,
      producers: head?.producers ?? {},
      info: info === known ? (head?.info ?? fromInfo(info)) : fromInfo(info),
    }
    if (entries.length > 0) {
      hub.publish(entries, { ended })
      parts.onEntries?.(id, entries, storedAt)
    }
    if (before === undefined || info !== known || ended) parts.onChanged(session)
  }

  const open = (): Promise<Writer> => {
    writer ??= openWriter(id, {
      log,
      clock,
      time,
      dialectOf: parts.dialectOf,
      producersPerSession: parts.limits.producersPerSession,
      onCommitted,
      // Appends that wait after the failed one fail too; the next use starts from the durable state.
      onFailed: () => {
        writer = undefined
      },
      onAppended: parts.onAppended,
      ...omitUndefined({ tokens: parts.tokens, quota: parts.quota, stored: parts.stored }),
    }).catch((error: unknown) => {
      writer = undefined
      throw error
    })
    return writer
  }

  const session: Session = {
    id,
    hub,
    time,
    readers: new Set(),
    get head() {
      return head
    },
    get lastSeq() {
      return head?.lastSeq ?? -1
    },
    get isEnded() {
      return head?.endedAt !== undefined
    },
    get usedAt() {
      return usedAt
    },
    get isWriting() {
      return uses > 0
    },
    get isBusy() {
      return uses > 0 || !hub.isQuiet
    },

    async write(use) {
      uses += 1
      usedAt = clock.monotonic()
      pendingAt ??= time.now()
      try {
        return await use(await open())
      } finally {
        uses -= 1
        usedAt = clock.monotonic()
        if (uses === 0) pendingAt = undefined
      }
    },

    async read(fromSeq, maxBytes) {
      const records = await session.readRecords(fromSeq, maxBytes)
      const entries = records.map((record) => decodeEntry(id, record))
      time.reach(entries.at(-1)?.at ?? 0)
      return entries
    },

    async readRecords(fromSeq, maxBytes) {
      usedAt = clock.monotonic()
      const records = await log.read(id, fromSeq, { maxBytes })
      // Hides entries that the log has and onCommitted() has not reported yet: those arrive through the
      // views.
      return records.filter(({ seq }) => seq <= session.lastSeq)
    },

    async entryAt(seq) {
      const [record] = seq < 0 || seq > session.lastSeq ? [] : await log.read(id, seq, { maxBytes: 1 })
      if (record === undefined) return undefined
      const entry = decodeEntry(id, record)
      time.reach(entry.at)
      return entry
    },

    stateAt(seq) {
      usedAt = clock.monotonic()
      if (head === undefined) return Promise.reject(new SluiceError('unknown_session'))
      const { foreign, context } = toInfo(head.info)
      if (seq < 0) return Promise.resolve(createSessionState({ id, foreign, context }))
      if (live?.seq === seq) return Promise.resolve(live)
      const known = states.get(seq)
      if (known !== undefined) return known
      const near = nearest(states.keys(), seq)
      const loading = Promise.resolve(near === undefined ? undefined : states.get(near)).then((before) =>
        parts.loads.run(() => loadState(log, { id, foreign, context }, { seq, known: before })),
      )
      states.set(seq, loading)
      loading.catch(() => states.delete(seq))
      for (const oldest of states.keys()) {
        if (states.size <= keptStates) break
        states.delete(oldest)
      }
      return loading
    },

    async rest() {
      const resting = writer
      const open = await resting?.catch(() => undefined)
      await open?.rest()
      if (!session.isBusy) hub.close()
      // Readers at the head need no state, so a session that nobody writes to keeps none.
      if (uses > 0 || writer !== resting) return
      writer = undefined
      live = undefined
      states.clear()
      parts.states.set(id, 0)
    },
  }
  return session
}

/** The greatest of the numbers that is less than `seq` and near it. */
function nearest(numbers: Iterable<number>, seq: number): number | undefined {
  let best: number | undefined
  for (const number of numbers)
    if (number < seq && number >= seq - nearEntries && number > (best ?? -1)) best = number
  return best
}
