import { createHash } from 'node:crypto'
import type { Clock, Entry } from '@sluice/protocol'
import { toReplyToken } from '@sluice/protocol/dialects'
import { timeSince } from '../time-since.ts'

/** Which session owns a token, across all sessions: an answer may name a question by its token alone. */
export interface QuestionTokens {
  /** Whether another session has an open question with this token, or had one within a day. */
  isTaken(token: string, session: string): boolean
  /** Gives the token to the session, for a day from this use. */
  take(token: string, session: string): void
}

/** The tokens that may not be used again yet. */
export interface UsedTokens extends QuestionTokens {
  /** Takes a token that was used at the time of day `at`. Call it in the order of use. */
  restore(token: string, session: string, at: number): void
}

/** How long a token may not be used again (AAEP §6). */
const tokenRestMs = 86_400_000

/** How many tokens are remembered. */
const maxHolders = 100_000
/** What mintToken() makes. */
const minted = /^rpl_[0-9a-f]{32}$/

/**
 * Remembers tokens for as long as they may not be used again. With too many to remember, every token of an
 * agent counts as taken, and its questions get minted ones, which need no memory.
 */
export function createQuestionTokens(clock: Clock, max = maxHolders): UsedTokens {
  // In the order of their last use, so that expired ones come first; `until` is monotonic.
  const holders = new Map<string, { readonly session: string; readonly until: number }>()

  const sweep = (): void => {
    for (const [key, { until }] of holders) {
      if (until > clock.monotonic()) return
      holders.delete(key)
    }
  }

  const hold = (token: string, session: string, until: number): void => {
    sweep()
    const key = toReplyToken(token)
    holders.delete(key)
    if (holders.size < max) holders.set(key, { session, until })
  }

  return {
    isTaken(token, session) {
      const holder = holders.get(toReplyToken(token))
      if (holder === undefined) return holders.size >= max && !minted.test(token)
      return holder.session !== session && holder.until > clock.monotonic()
    },
    take: (token, session) => hold(token, session, clock.monotonic() + tokenRestMs),
    restore(token, session, at) {
      const restedMs = timeSince(at, { clock, maxMs: tokenRestMs })
      hold(token, session, clock.monotonic() + tokenRestMs - restedMs)
    },
  }
}

/** Takes the tokens of questions that are on their way to the log. */
export function takeTokens(tokens: QuestionTokens, entries: readonly Entry[], session: string): void {
  for (const { events } of entries)
    for (const event of events) if (event.kind === 'question-open') tokens.take(event.token, session)
}

/** A token that is not taken, derived from what sets its question apart from all others. */
export function mintToken(origin: readonly (string | number)[], isTaken: (token: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const text = [...origin, ...(attempt === 0 ? [] : [attempt])].join('\0')
    const token = `rpl_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    if (!isTaken(token)) return token
  }
}
