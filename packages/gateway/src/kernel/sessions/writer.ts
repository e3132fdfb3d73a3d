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
  type SessionState,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import { type QuestionTokens, takeTokens } from '../questions/question-tokens.ts'
import {
  type AdmittedBatch,
  admitBatch,
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

/** What a publisher is told. */
export interface PublishReport {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: readonly LineFinding[]
  readonly findings: readonly LineFinding[]
  /** The last entry of the session. */
  readonly seq: number
}

/** What became durable, in order. */
export interface Committed {
  /** When the append was made, ms since 1970. */
  readonly at: number
  readonly entries: readonly Entry[]
  readonly state: SessionState
  readonly info: SessionInfo
  readonly ended: boolean
}

export interface WriterOptions {
  readonly log: Log
  readonly clock: Clock
  readonly dialectOf: (id: string) => Dialect | undefined
  readonly producersPerSession: number
  /** Keeps the tokens of questions unique across sessions. */
  readonly tokens?: QuestionTokens
  /** Called in order, after each append is durable and before its publisher is told. */
  readonly onCommitted: (committed: Committed) => void
  /** The log failed: what this writer holds is no longer what will be stored. */
  readonly onFailed: () => void
  readonly onAppended: (seconds: number, records: number) => void
}

/** The one who writes a session. Decodes ahead of the log; what it answers is durable. */
export interface Writer {
  publish(batch: readonly Incoming[], publication: Publication, terms: PublishTerms): Promise<PublishReport>
  /** Makes a session durable before its first event. Undefined if it is there already. */
  create(info: Partial<SessionInfo>): Promise<SessionInfo | undefined>
  /** Gives a producer's name to who asks: the epochs before are fenced off, durably. */
  claim(name: string, info: Partial<SessionInfo>, writer: string): Promise<ProducerMark>
  /** Puts events of our own into the session, such as an answer; `make` sees the session that they come behind. */
  make(
    make: (state: SessionState) => readonly SluiceEvent[] | undefined,
    made: Omit<Made, 'at'>,
  ): Promise<number | undefined>
  /** The session with everything that is on its way to the log. */
  readonly pending: SessionState
  /** Keeps a checkpoint, if there is something new, once all appends are done. */
  rest(): Promise<void>
}

export interface PublishTerms {
  readonly claim?: ProducerClaim
  /** All or nothing. */
  readonly atomic: boolean
  /** What a session that is not there yet begins with. */
  readonly info: Partial<SessionInfo>
  /** Who writes; see SessionInfo. */
  readonly writer?: string
}

const checkpointEntries = 1024
const noCheckpoint = { chain: { full: 0, patches: 0 }, base: undefined }

/** Opens a session for writing: from its last checkpoint and the entries behind it, or as a new one. */
export async function openWriter(session: string, options: WriterOptions): Promise<Writer> {
  const { log } = options
  const lease = await log.openWriter(session)
  const ids = createEventIds()
  if (lease.head === undefined)
    return createWriter(lease, createIntake(createSessionState({ id: session })), ids, options)
  const info = toInfo(lease.head.info)
  const identity = { id: session, foreign: info.foreign, context: info.context }
  const behind: [id: string, text: string][] = []
  const restored = await loadForWriting(log, identity, lease.head.lastSeq, options.dialectOf, (...noted) => {
    behind.push(noted)
  })
  // First what was seen first: other bytes under a taken id are another event.
  ids.restore(restored.ids)
  for (const [id, text] of behind) ids.note(id, text)
  return createWriter(lease, { session: restored.state, decoders: restored.decoders }, ids, options, restored)
}

function createWriter(
  lease: WriterLease,
  opened: Intake,
  ids: EventIds,
  options: WriterOptions,
  kept: { readonly chain: ChainSize; readonly base: SessionState | undefined } = noCheckpoint,
): Writer {
  const { log, clock, tokens } = options
  let intake = opened
  let durable = opened
  let info = lease.head === undefined ? undefined : toInfo(lease.head.info)
  const producers = new Map<string, ProducerMark>(Object.entries(lease.head?.producers ?? {}))
  let appends: Promise<void> = Promise.resolve()
  let { chain, base: checkpointed } = kept
  let durableIds = ids.mark
  let isFailed = false

  const isTaken =
    tokens === undefined ? undefined : (token: string): boolean => tokens.isTaken(token, lease.session)
  /** A session has few dialects, mostly one. */
  const published = new Map<Dialect, Dialect>()
  const publishedDialect = (dialect: Dialect): Dialect => {
    const known = published.get(dialect)
    if (known !== undefined) return known
    const made = toPublishedDialect(dialect, isTaken)
    published.set(dialect, made)
    return made
  }

  /** A session that has a writer takes nothing from others. */
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
    // A checkpoint that is lost costs time at the next opening, nothing else.
    return keepCheckpoint(log, parts).then(
      (size) => {
        chain = size
      },
      () => {},
    )
  }

  const adopt = (at: number, entries: readonly Entry[], after: Intake, infoAfter: SessionInfo): void => {
    durable = after
    const { session: state } = after
    options.onCommitted({ at, entries, state, info: infoAfter, ended: state.end !== undefined })
    const since = state.seq - (checkpointed?.seq ?? opened.session.seq)
    if (since >= checkpointEntries || (state.end !== undefined && entries.length > 0)) void keep()
  }

  const append = (
    entries: readonly Entry[],
    after: Intake,
    infoAfter: SessionInfo,
    moved: Readonly<Record<string, ProducerMark>> | undefined,
  ): Promise<void> => {
    const at = clock.now()
    const marks = questionMarks(entries, at)
    if (marks !== undefined && tokens !== undefined) takeTokens(tokens, lease.session, entries, at)
    const request: Append = {
      lease,
      firstSeq: intake.session.seq + 1,
      records: entries.map(encodeRecord),
      at,
      ...(moved === undefined ? {} : { producers: moved }),
      ...(infoAfter === info ? {} : { info: fromInfo(infoAfter) }),
      ...(after.session.end === undefined || entries.length === 0 ? {} : { ends: true }),
      ...(marks === undefined ? {} : { marks }),
    }
    const { mark } = ids
    intake = after
    info = infoAfter
    const startedAt = performance.now()
    const done = log.append(request).then(
      () => {
        options.onAppended((performance.now() - startedAt) / 1000, entries.length)
        durableIds = mark
        adopt(request.at, entries, after, infoAfter)
      },
      (error: unknown) => {
        if (!isFailed) options.onFailed()
        isFailed = true
        throw error
      },
    )
    appends = done
    done.catch(() => {}) // every caller awaits its own append; this is for those that only follow
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
      assertUsable()
      assertWriter(terms.writer)
      const { claim } = terms
      const known = claim === undefined ? undefined : producers.get(claim.name)
      const taken = claim === undefined ? 0 : Math.min(countTaken(known, claim), batch.length)
      if (claim !== undefined && known === undefined) assertRoom()
      const rest = taken === 0 ? batch : batch.slice(taken)
      const begun =
        intake.session.seq < 0 && info === undefined
          ? beginSession(lease.session, rest, publication, terms.info)
          : undefined
      const start = begun === undefined ? intake : begun.intake
      const dialect = publishedDialect(publication.dialect)
      const admitted = admitBatch(start, ids, rest, { ...publication, dialect }, clock.now())
      const isRefused = terms.atomic && admitted.refused.length > 0
      if (isRefused) return toReport(admitted, taken, 0, intake.session.seq)
      const moved =
        claim === undefined || rest.length === 0 || intake.session.end !== undefined
          ? undefined
          : { [claim.name]: { epoch: claim.epoch, seq: claim.seq + batch.length - 1 } }
      const before = begun?.info ?? info
      const isIdle = admitted.entries.length === 0 && moved === undefined
      if (isIdle || before === undefined) {
        // Whoever repeats an event is told that it is stored once it is.
        await appends
        return toReport(admitted, taken, 0, intake.session.seq)
      }
      for (const [id, text] of admitted.ids) ids.note(id, text)
      if (moved !== undefined && claim !== undefined) producers.set(claim.name, moved[claim.name] ?? claim)
      const seq = admitted.intake.session.seq
      await append(
        admitted.entries,
        admitted.intake,
        updateInfo(before, {
          entries: admitted.entries,
          state: admitted.intake.session,
          dialect: publication.dialect.id,
        }),
        moved,
      )
      return toReport(admitted, taken, admitted.entries.length, seq)
    },

    async create(given) {
      assertUsable()
      if (info !== undefined) {
        await appends
        return undefined
      }
      const created = createInfo(given)
      const { foreign, context } = created
      await append(
        [],
        createIntake(createSessionState({ id: lease.session, foreign, context })),
        created,
        undefined,
      )
      return created
    },

    async claim(name, given, writer) {
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
      await append([], start, named, { [name]: mark })
      return mark
    },

    async make(make, made) {
      assertUsable()
      const events = make(intake.session)
      if (events === undefined) {
        await appends
        return undefined
      }
      const admission: Admission = admitMade(intake, events, { ...made, at: clock.now() })
      if (!admission.ok) throw new SluiceError('session_ended')
      const { entry } = admission
      const before = info ?? createInfo({})
      await append(
        [entry],
        admission.intake,
        updateInfo(before, { entries: [entry], state: admission.intake.session }),
        undefined,
      )
      return entry.seq
    },

    async rest() {
      await appends.catch(() => {})
      if (!isFailed) await keep()
    },
  }
}

function toReport(admitted: AdmittedBatch, taken: number, accepted: number, seq: number): PublishReport {
  const { duplicates, refused, findings } = admitted
  return { accepted, duplicates: duplicates + taken, refused, findings: accepted === 0 ? [] : findings, seq }
}
