import { decodeRecord, type Log, type SessionHead } from '@sluice/log'
import {
  type Clock,
  createSessionState,
  type Dialect,
  type Entry,
  type SessionState,
  SluiceError,
} from '@sluice/protocol'
import { createHub, type Hub, type HubOptions } from '../fan-out/hub.ts'
import type { RingBudget } from '../fan-out/ring-budget.ts'
import type { ViewLimits } from '../fan-out/view.ts'
import type { QuestionTokens } from '../questions/question-tokens.ts'
import { loadState } from './load-state.ts'
import { fromInfo, toInfo } from './session-info.ts'
import { type Committed, openWriter, type Writer } from './writer.ts'

export interface SessionParts {
  readonly log: Log
  readonly clock: Clock
  readonly budget: RingBudget
  readonly limits: ViewLimits & { readonly producersPerSession: number }
  readonly dialectOf: (id: string) => Dialect | undefined
  /** What the list of sessions shows has changed. */
  readonly onChanged: (session: Session) => void
  /** What has become durable, in order; `at` is when it was stored. */
  readonly onEntries?: (session: string, entries: readonly Entry[], at: number) => void
  /** Keeps the tokens of questions unique across sessions. */
  readonly tokens?: QuestionTokens
  readonly onAppended: (seconds: number, records: number) => void
  readonly delivered: HubOptions['delivered']
}

/** One who reads a session. */
export interface Reader {
  reset(): void
}

/** A session in memory: who writes it, who reads it, and how far it has come. */
export interface Session {
  readonly id: string
  readonly hub: Hub
  /** Those who read it, to be sent away when it is deleted. */
  readonly readers: Set<Reader>
  /** Undefined until something is durable. */
  readonly head: SessionHead | undefined
  readonly lastSeq: number
  readonly isEnded: boolean
  /** Opens it for writing if it is not, and hands the writer over. */
  write<T>(use: (writer: Writer) => Promise<T>): Promise<T>
  read(fromSeq: number, maxBytes: number): Promise<readonly Entry[]>
  entryAt(seq: number): Promise<Entry | undefined>
  stateAt(seq: number): Promise<SessionState>
  /** When it was last used, ms since 1970. */
  readonly usedAt: number
  readonly isBusy: boolean
  /** Leaves memory: nothing is lost, the next use opens it again. */
  rest(): Promise<void>
}

/** States that were loaded for readers, so that a thousand who come back at once load one. */
const keptStates = 4
/** From a state that is so near a later one is folded, instead of from a checkpoint. */
const nearEntries = 1024

export function createSession(id: string, opened: SessionHead | undefined, parts: SessionParts): Session {
  const { log, clock } = parts
  let head = opened
  let writer: Promise<Writer> | undefined
  let live: SessionState | undefined
  let uses = 0
  let usedAt = clock.now()
  let pendingAt: number | undefined
  const states = new Map<number, Promise<SessionState>>()

  const hub = createHub({
    clock,
    limits: parts.limits,
    budget: parts.budget,
    delivered: parts.delivered,
    hasPendingBefore: (at) => pendingAt !== undefined && pendingAt <= at,
  })

  const onCommitted = ({ at, entries, state, info, ended }: Committed): void => {
    live = state
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
      hub.publish(entries, ended)
      parts.onEntries?.(id, entries, at)
    }
    if (before === undefined || info !== known || ended) parts.onChanged(session)
  }

  const open = (): Promise<Writer> => {
    writer ??= openWriter(id, {
      log,
      clock,
      dialectOf: parts.dialectOf,
      producersPerSession: parts.limits.producersPerSession,
      onCommitted,
      // What waits behind the failure fails too; the next use starts from what is durable.
      onFailed: () => {
        writer = undefined
      },
      onAppended: parts.onAppended,
      ...(parts.tokens === undefined ? {} : { tokens: parts.tokens }),
    }).catch((error: unknown) => {
      writer = undefined
      throw error
    })
    return writer
  }

  const session: Session = {
    id,
    hub,
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
    get isBusy() {
      return uses > 0 || !hub.isQuiet
    },

    async write(use) {
      uses += 1
      usedAt = clock.now()
      pendingAt ??= usedAt
      try {
        return await use(await open())
      } finally {
        uses -= 1
        usedAt = clock.now()
        if (uses === 0) pendingAt = undefined
      }
    },

    async read(fromSeq, maxBytes) {
      usedAt = clock.now()
      const records = await log.read(id, fromSeq, { maxBytes })
      // What the log has and the session was not told of yet is not shown: views hold what comes behind.
      return records.filter(({ seq }) => seq <= session.lastSeq).map(({ bytes }) => decodeRecord(bytes))
    },

    async entryAt(seq) {
      const [record] = seq < 0 || seq > session.lastSeq ? [] : await log.read(id, seq, { maxBytes: 1 })
      return record === undefined ? undefined : decodeRecord(record.bytes)
    },

    stateAt(seq) {
      usedAt = clock.now()
      if (head === undefined) return Promise.reject(new SluiceError('unknown_session'))
      const { foreign, context } = toInfo(head.info)
      if (seq < 0) return Promise.resolve(createSessionState({ id, foreign, context }))
      if (live?.seq === seq) return Promise.resolve(live)
      const known = states.get(seq)
      if (known !== undefined) return known
      const near = nearest(states.keys(), seq)
      const loading = Promise.resolve(near === undefined ? undefined : states.get(near)).then((before) =>
        loadState(log, { id, foreign, context }, seq, before),
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
      const open = await writer?.catch(() => undefined)
      await open?.rest()
      if (!session.isBusy) hub.close()
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
