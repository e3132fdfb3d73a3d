import {
  type Clock,
  type Entry,
  type Input,
  type JsonObject,
  type Timer,
  tableValues,
} from '@sluice/protocol'
import { agentTokenOf } from '../../kernel/questions/question-notes.ts'
import { toInputs } from '../../kernel/sessions/inputs.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ReplyOutcome } from '../../ops/metrics.ts'
import { type Backoff, createBackoff } from './backoff.ts'
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
 * Passes answers of people here on to the producer that asked, each until it is taken or its question is over. They are
 * read from the sessions, so one that was not passed on before a restart is passed on behind it.
 */
export interface AnswerRelay {
  /** Finds the answers that have not been passed on. */
  start(): Promise<void>
  stop(): void
  /** What has become durable in a session that is followed. */
  committed(session: string, entries: readonly Entry[]): void
}

type Answer = Extract<Input, { readonly type: 'answer' }>

const readBytes = 256 * 1024
/** The longest time that AAEP gives a question. */
const maxQuestionMs = 86_400_000

export function createAnswerRelay(parts: AnswerRelayParts): AnswerRelay {
  const { store, clock, logger } = parts
  /** The entries whose answers are under way, by session. */
  const pending = new Map<string, Set<number>>()
  const timers = new Set<Timer>()
  let isStopped = false

  const take = (session: string, entry: Entry): void => {
    for (const input of toInputs(entry)) {
      if (input.type !== 'answer' || input.how !== 'answered') continue
      const underWay = pending.get(session) ?? new Set()
      if (underWay.has(entry.seq)) return
      pending.set(session, underWay.add(entry.seq))
      void pass(session, input)
    }
  }

  const pass = async (id: string, answer: Answer): Promise<void> => {
    const backoff = createBackoff()
    const outcome = await insist(id, answer, backoff)
    if (outcome === undefined) return
    if (outcome !== 'delivered') logger.warn({ session: id, reason: outcome }, 'an answer was not passed on')
    parts.onDone(outcome)
    await settle(id, answer.seq).catch((error: unknown) => {
      // It is passed on once more after a restart, which the producer ignores.
      logger.error({ session: id, err: error }, 'that an answer was passed on could not be stored')
    })
  }

  /** Undefined when the gateway stops before. */
  const insist = async (id: string, answer: Answer, backoff: Backoff): Promise<ReplyOutcome | undefined> => {
    for (;;) {
      if (isStopped) return undefined
      try {
        const overAt = await overAtOf(id, answer)
        if (clock.now() >= overAt) return 'late'
        const sent = await parts.send(toReply(answer, clock.now()))
        if (sent !== 'later') return sent === 'taken' ? 'delivered' : 'refused'
      } catch (error) {
        logger.info({ session: id, err: error }, 'an answer waits to be passed on')
      }
      await pause(backoff.next())
    }
  }

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(ms, () => {
        timers.delete(timer)
        resolve()
      })
      timers.add(timer)
    })

  /** When nobody waits for the answer any more, ms since 1970. */
  const overAtOf = async (id: string, { token, at }: Answer): Promise<number> => {
    const session = await parts.find(id)
    if (session === undefined || session.isEnded) return 0
    const { questions } = await session.stateAt(session.lastSeq)
    const opened = tableValues(questions).find((question) => agentTokenOf(question.opened) === token)?.opened
    const openedAt = Date.parse(opened?.meta?.at ?? '')
    return (Number.isNaN(openedAt) ? at : openedAt) + (opened?.timeoutMs ?? maxQuestionMs)
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
          for (const entry of entries) take(id, entry)
          seq = last.seq + 1
        }
      }
    },
    stop() {
      isStopped = true
      for (const timer of timers) timer.clear()
    },
    committed(session, entries) {
      for (const entry of entries) take(session, entry)
    },
  }
}

/** Who answered is not told: our subjects are nobody's there. */
function toReply({ token, decision, response }: Answer, now: number): JsonObject {
  const head = { reply_token: token, timestamp: new Date(now).toISOString() }
  if (response !== undefined) return { type: 'clarification.reply', ...head, response }
  return { type: 'confirmation.reply', ...head, decision: decision ?? 'reject' }
}
