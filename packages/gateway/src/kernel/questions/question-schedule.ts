/** What the closing time of a question depends on. */
export interface QuestionTerms {
  /** When it was asked, in monotonic ms. */
  readonly askedAt: number
  readonly timeoutMs: number | undefined
  /** Its agent runs its own timer. */
  readonly ownsTimer: boolean
  /** When the gateway started, in monotonic ms, for a question that was already open. */
  readonly restoredAt: number | undefined
}

/** What happens to a question through time alone, in monotonic ms. */
export interface QuestionSchedule {
  /** Answers from this time on are too late. */
  readonly deadline: number
  /** When the gateway closes it. */
  readonly closeAt: number
  /** When notices of the remaining time are sent, in order. */
  readonly noticesAt: readonly number[]
}

/** A question without a timeout is asked again after this time: the longest that AAEP can express. */
export const askAgainMs = 86_400_000
/** How long clients have to reconnect after a restart of the gateway. */
const returnMs = 30_000
/** How long an agent with its own timer may be silent past the deadline. */
const silenceMs = 30_000
/** Questions with at most this much time have no countdown (AAEP §6). */
const shortMs = 60_000
const noticeShares = [0.5, 0.9]

export function scheduleOf({ askedAt, timeoutMs, ownsTimer, restoredAt }: QuestionTerms): QuestionSchedule {
  const due = askedAt + (timeoutMs ?? askAgainMs)
  const deadline = restoredAt === undefined ? due : Math.max(due, restoredAt + returnMs)
  const isCounted = timeoutMs !== undefined && timeoutMs > shortMs && !ownsTimer
  return {
    deadline,
    closeAt: ownsTimer ? deadline + silenceMs : deadline,
    noticesAt: isCounted ? noticeShares.map((share) => askedAt + timeoutMs * share) : [],
  }
}
