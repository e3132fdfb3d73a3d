/** What decides when a question is closed. */
export interface QuestionTerms {
  /** When it came in, ms since 1970. */
  readonly at: number
  readonly timeoutMs: number | undefined
  /** Its agent keeps the time itself. */
  readonly ownsTimer: boolean
  /** When the gateway began, for a question that was open before. */
  readonly restoredAt: number | undefined
}

/** What happens to a question by time alone, in ms since 1970. */
export interface QuestionSchedule {
  /** An answer that comes from here on is too late. */
  readonly deadline: number
  /** When the gateway closes it. */
  readonly closeAt: number
  /** When it is told how much time is left, in order. */
  readonly noticesAt: readonly number[]
}

/** A question without a timeout is asked again after this: the longest time that AAEP can say. */
const askAgainMs = 86_400_000
/** So much time everyone has to come back to a gateway that was gone. */
const returnMs = 30_000
/** How long an agent that keeps the time itself may be silent past it. */
const silenceMs = 30_000
/** With no more time than this there is no countdown (AAEP §6). */
const shortMs = 60_000
const noticeShares = [0.5, 0.9]

export function scheduleOf({ at, timeoutMs, ownsTimer, restoredAt }: QuestionTerms): QuestionSchedule {
  const due = at + (timeoutMs ?? askAgainMs)
  const deadline = restoredAt === undefined ? due : Math.max(due, restoredAt + returnMs)
  const isCounted = timeoutMs !== undefined && timeoutMs > shortMs && !ownsTimer
  return {
    deadline,
    closeAt: ownsTimer ? deadline + silenceMs : deadline,
    noticesAt: isCounted ? noticeShares.map((share) => at + timeoutMs * share) : [],
  }
}
