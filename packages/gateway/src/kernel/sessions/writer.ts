import { type Append, encodeRecord, type Log, type ProducerMark, type WriterLease } from '@sluice/log'
import {
  type Admission,
  admitMade,
  type Clock,
  createIntake,
  createSessionState,
  type Dialect,
  type Entry,
  type Intake,
  type Made,
  omitUndefined,
  type SessionState,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import type { QuestionQuota } from '../questions/question-quota.ts'
import { type QuestionTokens, takeTokens } from '../questions/question-tokens.ts'
import {
  type AdmittedBatch,
  admitBatch,
  admitLongBatch,
  countQuestions,
  type Incoming,
  type LineFinding,
  type Publication,
} from './admission.ts'
import { beginSession } from './begin-session.ts'
import { type ChainSize, keepCheckpoint } from './checkpoint.ts'
import { createEventIds, type EventIds } from './event-ids.ts'
import { loadForWriting } from './load-state.ts'
import { countTaken, type ProducerClaim } from './producers.ts'
import { toPublishedDialect } from './published-events.ts'
import { questionMarks } from './question-marks.ts'
import { createInfo, fromInfo, type SessionInfo, toInfo, updateInfo } from './session-info.ts'
import type { SessionTime } from './session-time.ts'
import { infoBytes, type StoredBytes } from './stored-bytes.ts'
import { createWriteOrder } from './write-order.ts'

/** The response to a publisher. */
export interface PublishReport {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: readonly LineFinding[]
  readonly findings: readonly LineFinding[]
  /** The last entry of the session. */
  readonly seq: number
}

/** Data that became durable, in order. */
export interface Committed {
  /** When the append started, by the session's time. */
  readonly at: number
  /** The same in monotonic ms. */
  readonly storedAt: number
  readonly entries: readonly Entry[]
  readonly state: SessionState
  /** The memory that the writer needs: the weight of the state, and the event ids. */
  readonly weight: number
  readonly info: SessionInfo
  readonly ended: boolean
}

export interface WriterOptions {
  readonly log: Log
  readonly clock: Clock
  readonly time: SessionTime
  readonly dialectOf: (id: string) => Dialect | undefined
  readonly producersPerSession: number
  /** Keeps the tokens of questions unique across sessions. */
  readonly tokens?: QuestionTokens
  /** Limits the open questions of all sessions. */
  readonly quota?: QuestionQuota
  readonly stored?: StoredBytes
  /** Called in order, after each append is durable and before its publisher gets the response. */
  readonly onCommitted: (committed: Committed) => void
  /** The log failed: the state of this writer is no longer what will be stored. */
  readonly onFailed: () => void
  readonly onAppended: (seconds: number, records: number) => void
}

/** Writes one session. It decodes ahead of the log; its promises resolve when the data is durable. */
export interface Writer {
  publish(batch: readonly Incoming[], publication: Publication, terms: PublishTerms): Promise<PublishReport>
  /** Makes a session durable before its first event. Undefined if the session exists. */
  create(info: Partial<SessionInfo>): Promise<SessionInfo | undefined>
  /** Starts a new epoch of a producer and fences earlier epochs, durably. */
  claim(name: string, info: Partial<SessionInfo>, writer: string): Promise<ProducerMark>
  /** Appends events of the gateway, such as an answer; `make` gets the state that they follow. */
  make(
    make: (state: SessionState) => readonly SluiceEvent[] | undefined,
    made: Omit<Made, 'at'>,
  ): Promise<number | undefined>
  /** The state including everything on its way to the log. */
  readonly pending: SessionState
  /** Waits for all appends, then keeps a checkpoint if there is anything new. */
  rest(): Promise<void>
}

export interface PublishTerms {
  readonly claim?: ProducerClaim
  /** All or nothing. */
  readonly atomic: boolean
  /** The first info of a session that does not exist yet. */
  readonly info: Partial<SessionInfo>
  /** The writer; see SessionInfo. */
  readonly writer?: string
}

const checkpointEntries = 1024
const noCheckpoint = { chain: { full: 0, patches: 0 }, base: undefined }

/** Opens a session for writing, from its last checkpoint and the entries after it, or as a new session. */
export async function openWriter(session: string, options: WriterOptions): Promise<Writer> {
  const { log } = options
  const lease = await log.openWriter(session)
  if (lease.head === undefined)
    return createWriter(
      lease,
      {
        intake: createIntake(createSessionState({ id: session })),
        ids: createEventIds(),
        ...noCheckpoint,
      },
      options,
    )
  const info = toInfo(lease.head.info)
  const identity = { id: session, foreign: info.foreign, context: info.context }
  const behind: [id: string, text: string][] = []
  const noteId = (...noted: [id: string, text: string]): void => void behind.push(noted)
  const parts = { log, dialectOf: options.dialectOf, noteId }
  const restored = await loadForWriting(parts, identity, lease.head.lastSeq)
  // In the order of the log: other bytes under a taken id are another event.
  options.time.reach(restored.state.at)
  const ids = createEventIds(restored.recorded)
  for (const [id, text] of behind) ids.note(id, text)
  const { state, decoders, chain, base } = restored
  return createWriter(lease, { intake: { session: state, decoders }, ids, chain, base }, options)
}

/** The state that a writer starts from. */
interface OpenedSession {
  readonly intake: Intake
  readonly ids: EventIds
  readonly chain: ChainSize
  /** The state of the last checkpoint. */
  readonly base: SessionState | undefined
}

/** A change of a session on its way to the log. */
interface Change {
  readonly entries: readonly Entry[]
  readonly intake: Intake
  readonly info: SessionInfo
  readonly producers?: Readonly<Record<string, ProducerMark>> | undefined
}

function createWriter(lease: WriterLease, kept: OpenedSession, options: WriterOptions): Writer {
  const { log, clock, time, tokens, quota, stored } = options
  const { intake: opened, ids } = kept
  let intake = opened
  let durable = opened
  let info = lease.head === undefined ? undefined : toInfo(lease.head.info)
  const producers = new Map<string, ProducerMark>(Object.entries(lease.head?.producers ?? {}))
  let appends: Promise<void> = Promise.resolve()
  let { chain, base: checkpointed } = kept
  let durableIds = ids.mark
  let isFailed = false
  /** Each call begins to append before it first waits, except while a long batch is read. */
  const order = createWriteOrder()

  const isTaken =
    tokens === undefined ? undefined : (token: string): boolean => tokens.isTaken(token, lease.session)
  /** A session has few dialects, usually one. */
  const published = new Map<Dialect, Dialect>()
  const publishedDialect = (dialect: Dialect): Dialect => {
    const known = published.get(dialect)
    if (known !== undefined) return known
    const made = toPublishedDialect(dialect, isTaken)
    published.set(dialect, made)
    return made
  }

  /** A session with a writer accepts nothing from others. */
  const assertWriter = (writer: string | undefined): void => {
    if (info?.writer !== undefined && info.writer !== writer) throw new SluiceError('session_reserved')
  }

  const keep = (): Promise<void> => {
    const { session: state, decoders } = durable
    if (state.seq < 0 || state.seq === checkpointed?.seq) return Promise.resolve()
    const mark = durableIds
    const parts = {
      base: checkpointed,
      state,
      decoders,
      chain,
      freshIds: () => ids.fresh(mark),
      allIds: () => ids.all(mark),
    }
    checkpointed = state
    // Without a checkpoint, the next opening only takes longer.
    return keepCheckpoint(log, parts).then(
      (size) => {
        chain = size
      },
      () => {},
    )
  }

  const adopt = ({ at, storedAt }: Pick<Committed, 'at' | 'storedAt'>, change: Change): void => {
    durable = change.intake
    const { session: state } = durable
    const { entries } = change
    const weight = state.weight + ids.bytes
    const ended = state.end !== undefined
    options.onCommitted({ at, storedAt, entries, state, weight, info: change.info, ended })
    const since = state.seq - (checkpointed?.seq ?? opened.session.seq)
    if (since >= checkpointEntries || (state.end !== undefined && entries.length > 0)) void keep()
  }

  const append = (change: Change): Promise<void> => {
    const { entries, producers: moved } = change
    const at = time.now()
    const storedAt = clock.monotonic()
    const marks = questionMarks(entries, at)
    if (marks !== undefined && tokens !== undefined) takeTokens(tokens, entries, lease.session)
    const request: Append = {
      lease,
      firstSeq: intake.session.seq + 1,
      records: entries.map(encodeRecord),
      at,
      ...omitUndefined({ producers: moved, marks }),
      ...(change.info === info ? {} : { info: fromInfo(change.info) }),
      ...(change.intake.session.end !== undefined && entries.length > 0 ? { ends: true } : {}),
    }
    const added = request.records.reduce((sum, { length }) => sum + length, 0)
    const bytes = info === undefined ? added + infoBytes(change.info) : added
    const { owner } = change.info
    stored?.add(owner, bytes)
    const leave = quota?.enter(entries[0]?.source.subject, countQuestions(entries))
    const { mark } = ids
    intake = change.intake
    info = change.info
    const done = log.append(request).then(
      () => {
        options.onAppended((clock.monotonic() - storedAt) / 1000, entries.length)
        durableIds = mark
        adopt({ at, storedAt }, change)
      },
      (error: unknown) => {
        stored?.add(owner, -bytes)
        if (!isFailed) options.onFailed()
        isFailed = true
        throw error
      },
    )
    const settle = (): void => leave?.()
    done.then(settle, settle)
    appends = done
    done.catch(() => {}) // each caller awaits its own append; this prevents an unhandled rejection
    return done
  }

  const assertRoom = (): void => {
    const limit = options.producersPerSession
    if (producers.size >= limit) throw new SluiceError('too_many_producers', { details: { limit } })
  }

  const assertUsable = (): void => {
    if (isFailed) throw new SluiceError('fenced')
  }

  return {
    get pending() {
      return intake.session
    },

    async publish(batch, publication, terms) {
      const turn = order.enter()
      let leave = turn === undefined ? undefined : await turn
      try {
        assertUsable()
        assertWriter(terms.writer)
        const { claim } = terms
        const known = claim === undefined ? undefined : producers.get(claim.name)
        const taken = claim === undefined ? 0 : Math.min(countTaken(known, claim), batch.length)
        if (claim !== undefined && known === undefined) assertRoom()
        const rest = taken === 0 ? batch : batch.slice(taken)
        const begun =
          intake.session.seq < 0 && info === undefined
            ? beginSession(lease.session, rest, { dialect: publication.dialect, info: terms.info })
            : undefined
        const start = begun === undefined ? intake : begun.intake
        const batchTerms = {
          publication: { ...publication, dialect: publishedDialect(publication.dialect) },
          ids,
          at: time.now(),
          ...omitUndefined({ room: quota?.room(publication.subject) }),
        }
        // Begins to append before it first waits.
        const store = async (admitted: AdmittedBatch): Promise<PublishReport> => {
          const isRefused = terms.atomic && admitted.refused.length > 0
          if (isRefused) return toReport(admitted, { taken, accepted: 0, seq: intake.session.seq })
          const moved =
            claim === undefined || rest.length === 0 || intake.session.end !== undefined
              ? undefined
              : { [claim.name]: { epoch: claim.epoch, seq: claim.seq + batch.length - 1 } }
          const before = begun?.info ?? info
          const isIdle = admitted.entries.length === 0 && moved === undefined
          if (isIdle || before === undefined) {
            // A repeated event is acknowledged once it is stored.
            await appends
            return toReport(admitted, { taken, accepted: 0, seq: intake.session.seq })
          }
          for (const [id, text] of admitted.ids) ids.note(id, text)
          if (moved !== undefined && claim !== undefined)
            producers.set(claim.name, moved[claim.name] ?? claim)
          const seq = admitted.intake.session.seq
          await append({
            entries: admitted.entries,
            intake: admitted.intake,
            info: updateInfo(before, {
              entries: admitted.entries,
              state: admitted.intake.session,
              dialect: publication.dialect.id,
            }),
            producers: moved,
          })
          return toReport(admitted, { taken, accepted: admitted.entries.length, seq })
        }
        const long = admitLongBatch(start, rest, batchTerms)
        if (long === undefined) return store(admitBatch(start, rest, batchTerms))
        leave ??= order.hold()
        const admitted = await long
        assertUsable()
        return store(admitted)
      } finally {
        leave?.()
      }
    },

    create(given) {
      return order.run(async () => {
        assertUsable()
        if (info !== undefined) {
          await appends
          return undefined
        }
        const created = createInfo(given)
        const { foreign, context } = created
        await append({
          entries: [],
          intake: createIntake(createSessionState({ id: lease.session, foreign, context })),
          info: created,
        })
        return created
      })
    },

    claim(name, given, writer) {
      return order.run(async () => {
        assertUsable()
        assertWriter(writer)
        if (intake.session.end !== undefined) throw new SluiceError('session_ended')
        const known = producers.get(name)
        if (known === undefined) assertRoom()
        const mark = { epoch: known === undefined ? 0 : known.epoch + 1, seq: -1 }
        producers.set(name, mark)
        const named = info ?? createInfo(given)
        const { foreign, context } = named
        const start =
          info === undefined
            ? createIntake(createSessionState({ id: lease.session, foreign, context }))
            : intake
        await append({ entries: [], intake: start, info: named, producers: { [name]: mark } })
        return mark
      })
    },

    make(make, made) {
      return order.run(async () => {
        assertUsable()
        const events = make(intake.session)
        if (events === undefined) {
          await appends
          return undefined
        }
        const admission: Admission = admitMade(intake, events, { ...made, at: time.now() })
        if (!admission.ok) throw new SluiceError('session_ended')
        const { entry } = admission
        const before = info ?? createInfo({})
        await append({
          entries: [entry],
          intake: admission.intake,
          info: updateInfo(before, { entries: [entry], state: admission.intake.session }),
        })
        return entry.seq
      })
    },

    async rest() {
      await appends.catch(() => {})
      if (!isFailed) await keep()
    },
  }
}

function toReport(
  admitted: AdmittedBatch,
  { taken, accepted, seq }: { readonly taken: number; readonly accepted: number; readonly seq: number },
): PublishReport {
  const { duplicates, refused, findings } = admitted
  return { accepted, duplicates: duplicates + taken, refused, findings: accepted === 0 ? [] : findings, seq }
}
