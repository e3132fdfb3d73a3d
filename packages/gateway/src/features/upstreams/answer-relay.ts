import {
  type Clock,
  createBackoff,
  type Entry,
  type Input,
  type JsonObject,
  retry,
  SluiceError,
  tableValues,
} from '@sluice/protocol'
import { agentTokenOf } from '../../kernel/questions/question-notes.ts'
import { toInputs } from '../../kernel/sessions/inputs.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { timeSince } from '../../kernel/time-since.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ReplyOutcome } from '../../ops/metrics.ts'
import type { UpstreamStore } from './upstream-store.ts'

export interface AnswerRelayParts {
  readonly store: UpstreamStore
  readonly clock: Clock
  readonly logger: Logger
  find(session: string): Promise<Session | undefined>
  /** Sends a reply; rejects when it could not be sent. */
  send(message: JsonObject): Promise<'taken' | 'refused' | 'later'>
  onDone(outcome: ReplyOutcome): void
}

/**
 * Passes the answers of people to the producer that asked, until it takes them or the question is over. Reads
 * them from the sessions, so an answer that was not passed on before a restart is passed on after it.
 */
export interface AnswerRelay {
  /** Finds the answers that were not passed on yet. */
  start(): Promise<void>
  stop(): void
  /** Takes the entries that became durable in a followed session. */
  committed(session: string, entries: readonly Entry[]): void
}

type Answer = Extract<Input, { readonly type: 'answer' }>

const readBytes = 256 * 1024
/** The longest timeout of a question in AAEP. */
const maxQuestionMs = 86_400_000
/**
 * An answer that came in time is passed on for at least this long: the clocks of two machines differ, and may
 * have been set while the question was open.
 */
const leastMs = 30_000

export function createAnswerRelay(parts: AnswerRelayParts): AnswerRelay {
  const { store, clock, logger } = parts
  /** The entries whose answers are being passed on, by session. */
  const pending = new Map<string, Set<number>>()
  const stopping = new AbortController()

  /** `answeredAt` is monotonic. */
  const take = (session: string, entry: Entry, answeredAt: number): void => {
    for (const input of toInputs(entry)) {
      if (input.type !== 'answer' || input.how !== 'answered') continue
      const underWay = pending.get(session) ?? new Set()
      if (underWay.has(entry.seq)) return
      pending.set(session, underWay.add(entry.seq))
      void pass(session, input, answeredAt)
    }
  }

  const pass = async (id: string, answer: Answer, answeredAt: number): Promise<void> => {
    const attempts = retry(() => send(id, answer, answeredAt), {
      clock,
      signal: stopping.signal,
      backoff: createBackoff(),
      isPassing: () => true,
      onFailure: (err) => logger.info({ session: id, err }, 'an answer waits to be passed on'),
    })
    const outcome = await attempts.catch(() => undefined)
    if (outcome === undefined) return // the gateway is stopping
    if (outcome !== 'delivered') logger.warn({ session: id, reason: outcome }, 'an answer was not passed on')
    parts.onDone(outcome)
    await settle(id, answer.seq).catch((error: unknown) => {
      // After a restart, it is passed on once more, which the producer ignores.
      logger.error({ session: id, err: error }, 'that an answer was passed on could not be stored')
    })
  }

  /** One attempt; throws while the producer may take the answer later. */
  const send = async (id: string, answer: Answer, answeredAt: number): Promise<ReplyOutcome> => {
    if (clock.monotonic() >= answeredAt + (await leftMsOf(id, answer))) return 'late'
    const sent = await parts.send(toReply(answer, clock.now()))
    if (sent === 'later')
      throw new SluiceError('fetch_failed', { message: 'The producer takes no answer at the moment.' })
    return sent === 'taken' ? 'delivered' : 'refused'
  }

  /** For how long after its answer the question is open. */
  const leftMsOf = async (id: string, { token, at }: Answer): Promise<number> => {
    const session = await parts.find(id)
    if (session === undefined || session.isEnded) return 0
    const { questions } = await session.stateAt(session.lastSeq)
    const opened = tableValues(questions).find((question) => agentTokenOf(question.opened) === token)?.opened
    const openedAt = Date.parse(opened?.meta?.at ?? '')
    const timeoutMs = opened?.timeoutMs ?? maxQuestionMs
    if (Number.isNaN(openedAt)) return timeoutMs
    return Math.max(leastMs, Math.min(timeoutMs, openedAt + timeoutMs - at))
  }

  const settle = async (id: string, seq: number): Promise<void> => {
    const underWay = pending.get(id)
    underWay?.delete(seq)
    if (underWay?.size === 0) pending.delete(id)
    const known = store.sessions.get(id)
    if (known === undefined) return
    const next = underWay === undefined || underWay.size === 0 ? seq : Math.min(...underWay) - 1
    if (next > known) await store.keep(id, next)
  }

  return {
    async start() {
      for (const [id, passedSeq] of [...store.sessions]) {
        const session = await parts.find(id).catch(() => undefined)
        if (session === undefined || session.isEnded) {
          await store.forget(id)
          continue
        }
        for (let seq = passedSeq + 1; ; ) {
          const entries = await session.read(seq, readBytes)
          const last = entries.at(-1)
          if (last === undefined) break
          for (const entry of entries) {
            const answeredMs = timeSince(entry.at, { clock, maxMs: maxQuestionMs })
            take(id, entry, clock.monotonic() - answeredMs)
          }
          seq = last.seq + 1
        }
      }
    },
    stop() {
      stopping.abort()
    },
    committed(session, entries) {
      for (const entry of entries) take(session, entry, clock.monotonic())
    },
  }
}

/** Does not say who answered: the producer does not know our subjects. */
function toReply({ token, decision, response }: Answer, now: number): JsonObject {
  const head = { reply_token: token, timestamp: new Date(now).toISOString() }
  if (response !== undefined) return { type: 'clarification.reply', ...head, response }
  return { type: 'confirmation.reply', ...head, decision: decision ?? 'reject' }
}
