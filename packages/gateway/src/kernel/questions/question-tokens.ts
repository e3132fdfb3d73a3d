import { createHash } from 'node:crypto'
import type { Entry } from '@sluice/protocol'
import { toReplyToken } from '@sluice/protocol/dialects'

/** Whose a token is, across all sessions: an answer may name a question by its token alone. */
export interface QuestionTokens {
  /** Whether another session has a question of this token open, or had it within a day. */
  isTaken(token: string, session: string): boolean
  /** From here on the token is the session's, for a day beyond its last use at `at`. */
  take(token: string, session: string, at: number): void
}

/** A token may not come again for as long after its use (AAEP §6). */
const tokenRestMs = 86_400_000

/** Remembers tokens for as long as they may not come again. */
export function createQuestionTokens(now: () => number): QuestionTokens {
  // In the order of their last use, so that those which are free again are in front.
  const holders = new Map<string, { readonly session: string; readonly until: number }>()

  const sweep = (): void => {
    for (const [key, { until }] of holders) {
      if (until > now()) return
      holders.delete(key)
    }
  }

  return {
    isTaken(token, session) {
      const holder = holders.get(toReplyToken(token))
      return holder !== undefined && holder.session !== session && holder.until > now()
    },
    take(token, session, at) {
      sweep()
      const key = toReplyToken(token)
      holders.delete(key)
      holders.set(key, { session, until: at + tokenRestMs })
    },
  }
}

/** Takes the tokens of the questions that are on their way to the log. */
export function takeTokens(
  tokens: QuestionTokens,
  session: string,
  entries: readonly Entry[],
  at: number,
): void {
  for (const { events } of entries)
    for (const event of events) if (event.kind === 'question-open') tokens.take(event.token, session, at)
}

/** A token that nobody has, derived from the place at which its question stands in its session. */
export function mintToken(
  session: string,
  seq: number,
  index: number,
  isTaken: (token: string) => boolean,
): string {
  for (let attempt = 0; ; attempt++) {
    const place = [session, seq, index, ...(attempt === 0 ? [] : [attempt])].join('\0')
    const token = `rpl_${createHash('sha256').update(place).digest('hex').slice(0, 32)}`
    if (!isTaken(token)) return token
  }
}
