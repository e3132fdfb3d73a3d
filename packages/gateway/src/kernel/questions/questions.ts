import type { Log } from '@sluice/log'
import {
  type Clock,
  type Dialect,
  type Entry,
  type SessionState,
  SluiceError,
  type SluiceEvent,
  type Timer,
} from '@sluice/protocol'
import type { Logger } from '../../ops/logger.ts'
import { createConcurrencyLimit } from '../concurrency-limit.ts'
import {
  noticePrefix,
  type OpenMark,
  openPrefix,
  readOpenMark,
  readUsedMark,
  toMarkName,
  usedPrefix,
} from '../sessions/question-marks.ts'
import type { Session } from '../sessions/session.ts'
import { targetOf } from '../sessions/session-target.ts'
import { timeSince } from '../time-since.ts'
import { type Answerers, createAnswerers } from './answerers.ts'
import { createQuestionIndex } from './question-index.ts'
import { createQuestionQuota, type QuestionQuota } from './question-quota.ts'
import { askAgainMs, type QuestionSchedule, type QuestionTerms, scheduleOf } from './question-schedule.ts'
import { createQuestionTokens, mintToken, type QuestionTokens } from './question-tokens.ts'
import { countdownEvents, rejectionEvents, timeoutEvents } from './timeout-events.ts'

export interface QuestionsParts {
  readonly log: Log
  readonly clock: Clock
  readonly logger: Logger
  readonly dialectOf: (id: string) => Dialect | undefined
  readonly find: (session: string) => Promise<Session | undefined>
  readonly limits: Parameters<typeof createQuestionQuota>[0]
}

/** An open question, and the session that it belongs to. */
export interface FoundQuestion {
  readonly session: string
  readonly token: string
}

/** The open questions of all sessions, and what happens to them when nobody answers. */
export interface Questions {
  /** Finds the questions that were open before this process started. */
  start(): Promise<void>
  /** Stops closing questions by time, until the next start. */
  stop(): void
  readonly openCount: number
  readonly tokens: QuestionTokens
  readonly quota: QuestionQuota
  readonly answerers: Answerers
  /** Takes the entries that became durable in a session, in order; `storedAt` is monotonic. */
  committed(session: string, entries: readonly Entry[], storedAt: number): void
  /** Forgets the questions of a deleted session. */
  forget(session: string): void
  /** Finds a question by its token, or by the AAEP form of the token. */
  find(token: string): FoundQuestion | undefined
  /** Whether an answer would be too late, even though the question may still be open. */
  isExpired(session: string, token: string): boolean
}

type Asked = Pick<OpenMark, 'session' | 'token' | 'timeoutMs' | 'dialect' | 'subject'>

interface OpenQuestion extends FoundQuestion {
  readonly ownsTimer: boolean
  readonly schedule: QuestionSchedule
  /** Notices that were due up to this monotonic time have been sent. */
  toldUntil: number
  timer: Timer | undefined
  /** Gives its place in the quota back. */
  readonly leave: () => void
}

/** The longest delay of Node's timers. */
const maxTimerMs = 2 ** 31 - 1
/** How soon a failed write is tried again. */
const retryMs = 5_000
/** How many sessions are written to at once because of time: after a restart, all questions may be due together. */
const maxWrites = 64
const made = { direction: 'system', source: { dialect: 'sluice' } } as const

export function createQuestions(parts: QuestionsParts): Questions {
  const { log, clock, logger } = parts
  const index = createQuestionIndex<OpenQuestion>()
  const quota = createQuestionQuota(parts.limits)
  const writes = createConcurrencyLimit(maxWrites)
  const used = createQuestionTokens(clock)
  const answerers = createAnswerers(async (reaches) => {
    for (const id of index.sessions()) {
      const session = await parts.find(id)
      if (session !== undefined && reaches(targetOf(session))) await applyDefaultsIfAlone(session)
    }
  })
  let isStopped = false

  const open = (
    { session, token, timeoutMs, dialect, subject }: Asked,
    times: Pick<QuestionTerms, 'askedAt' | 'restoredAt'> & { readonly toldUntil: number },
  ): OpenQuestion => {
    const ownsTimer = parts.dialectOf(dialect)?.supports.ownsQuestionTimers ?? false
    const schedule = scheduleOf({ ...times, timeoutMs, ownsTimer })
    close(session, token)
    const leave = quota.enter(subject, 1)
    // With a spread each would take 800 bytes more, and there may be many.
    const question: OpenQuestion = {
      session,
      token,
      ownsTimer,
      schedule,
      toldUntil: times.toldUntil,
      timer: undefined,
      leave,
    }
    index.set(question)
    return question
  }

  /** Opens a question of an earlier process, of which only times of day are known. */
  const restore = (mark: OpenMark, restoredAt: number, toldAt: number | undefined): OpenQuestion => {
    const maxMs = mark.timeoutMs ?? askAgainMs
    const now = clock.monotonic()
    const askedAt = now - timeSince(mark.at, { clock, maxMs })
    const toldUntil = toldAt === undefined ? askedAt : now - timeSince(toldAt, { clock, maxMs })
    return open(mark, { askedAt, restoredAt, toldUntil })
  }

  const close = (session: string, token: string): void => {
    const question = index.remove(session, token)
    question?.timer?.clear()
    question?.leave()
  }

  const arm = (question: OpenQuestion, at: number): void => {
    question.timer?.clear()
    if (isStopped || index.get(question.session, question.token) !== question) return
    const waitMs = Math.min(maxTimerMs, Math.max(0, at - clock.monotonic()))
    question.timer = clock.after(waitMs, () => wake(question))
  }

  /** Does what is due, and waits for what follows. */
  const wake = (question: OpenQuestion): void => {
    const { closeAt, deadline, noticesAt } = question.schedule
    const now = clock.monotonic()
    if (now >= closeAt) {
      void writes.run(() =>
        time(question, (state) => timeoutEvents(state, question.token, nextToken(state, question))),
      )
      return
    }
    const isDue = noticesAt.some((at) => at <= now && at > question.toldUntil)
    question.toldUntil = Math.max(question.toldUntil, now)
    arm(question, Math.min(closeAt, ...noticesAt.filter((at) => at > now)))
    if (isDue) void writes.run(() => tell(question, deadline - clock.monotonic()))
  }

  const nextToken = (state: SessionState, { ownsTimer, session }: OpenQuestion): string | undefined =>
    ownsTimer ? undefined : mintToken([session, state.seq + 1], (token) => tokens.isTaken(token, session))

  const write = async (
    id: string,
    make: (state: SessionState) => readonly SluiceEvent[] | undefined,
  ): Promise<void> => {
    const session = await parts.find(id)
    if (session === undefined || session.isEnded) return
    await session.write((writer) => writer.make(make, made))
  }

  const time = async (
    question: OpenQuestion,
    make: (state: SessionState) => readonly SluiceEvent[] | undefined,
  ): Promise<void> => {
    const { session, token } = question
    if (isStopped || index.get(session, token) !== question) return
    try {
      await write(session, make)
      // The stored event closed it, or it was closed before.
      if (index.get(session, token) === question) close(session, token)
    } catch (error) {
      if (isGone(error)) return close(session, token)
      logger.error({ session, err: error }, 'a question could not be closed')
      arm(question, clock.monotonic() + retryMs)
    }
  }

  const tell = async ({ session, token }: OpenQuestion, leftMs: number): Promise<void> => {
    try {
      await write(session, (state) => countdownEvents(state, token, leftMs))
    } catch (error) {
      if (!isGone(error)) logger.error({ session, err: error }, 'a countdown could not be told')
    }
  }

  /**
   * Rejects the confirmations of a session whose default is to reject, unless someone remains who can answer.
   * An agent that runs its own timer decides itself: its questions stay open.
   */
  const applyDefaultsIfAlone = async (session: Session): Promise<void> => {
    const ours = new Set(index.of(session.id).flatMap(({ token, ownsTimer }) => (ownsTimer ? [] : [token])))
    if (ours.size === 0 || answerers.canAnswer(targetOf(session))) return
    await write(session.id, (state) => rejectionEvents(state, (token) => ours.has(token)))
  }

  const tokens: QuestionTokens = {
    isTaken: (token, session) => {
      const found = index.find(token)
      return used.isTaken(token, session) || (found !== undefined && found.session !== session)
    },
    take: used.take,
  }

  return {
    tokens,
    quota,
    answerers,
    get openCount() {
      return index.size
    },

    async start() {
      const startedAt = clock.monotonic()
      isStopped = false
      const told = new Map<string, number>()
      for (const { session, name, value } of await log.marks(noticePrefix))
        told.set(`${session} ${name.slice(noticePrefix.length)}`, Number(value))
      const uses = (await log.marks(usedPrefix)).map((mark) => ({
        ...readUsedMark(mark),
        session: mark.session,
      }))
      for (const { token, session, at } of uses.sort((a, b) => a.at - b.at)) used.restore(token, session, at)
      for (const each of await log.marks(openPrefix)) {
        const mark = readOpenMark(each)
        if (mark === undefined) continue
        const { session, token } = mark
        const toldAt = told.get(`${session} ${toMarkName(token)}`)
        wake(index.get(session, token) ?? restore(mark, startedAt, toldAt))
      }
    },

    stop() {
      isStopped = true
      for (const { timer } of index.values()) timer?.clear()
    },

    committed(session, entries, storedAt) {
      for (const { source, events } of entries) {
        for (const event of events) {
          if (event.kind === 'question-close') {
            close(session, event.token)
            used.take(event.token, session)
          } else if (event.kind === 'question-open') {
            const { token, timeoutMs } = event
            const { dialect, subject } = source
            const asked = { session, token, timeoutMs, dialect, subject }
            wake(open(asked, { askedAt: storedAt, restoredAt: undefined, toldUntil: storedAt }))
          }
        }
      }
    },

    forget(session) {
      for (const { token } of index.of(session)) close(session, token)
    },

    find(token) {
      const found = index.find(token)
      return found === undefined ? undefined : { session: found.session, token: found.token }
    },

    isExpired(session, token) {
      const question = index.get(session, token)
      return question !== undefined && clock.monotonic() >= question.schedule.deadline
    },
  }
}

/** The session has ended or was deleted, and its questions with it. */
function isGone(error: unknown): boolean {
  return error instanceof SluiceError && (error.code === 'session_ended' || error.code === 'session_deleted')
}
