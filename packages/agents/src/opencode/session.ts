import type { Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import type { OpencodeState } from './state.ts'

/** OpenCode names its session on every line; the first counts. */
export function mapSession(state: OpencodeState, session: string): Mapped<OpencodeState> {
  const missing = findMissing(state, session)
  if (missing === undefined) return { state: { ...state, session }, events: [sessionNotice({ session })] }
  return {
    state: { ...state, session, isElsewhere: true },
    events: [],
    verdict: { ok: false, message: missing, endsNow: true },
  }
}

/** The failure if OpenCode works in a session other than the requested one; undefined if it does not. */
function findMissing({ resume, startedAt }: OpencodeState, session: string): string | undefined {
  if (resume?.selector === 'id') return resume.id === session ? undefined : 'session not found'
  if (resume === undefined || startedAt === undefined) return undefined
  return isBornAfter(session, startedAt) ? 'no session found' : undefined
}

const span = 2 ** 36

/**
 * Whether a session was created after this time: `--continue` silently starts one if there is none. An id
 * begins with the complement of its time, of which it keeps the lowest 36 bits of milliseconds and 12 bits of
 * a counter.
 */
function isBornAfter(session: string, time: number): boolean {
  const digits = /^ses_([\da-f]{12})[\dA-Za-z]+$/.exec(session)?.[1]
  if (digits === undefined) return false
  const bornAt = span - 1 - Math.floor(Number.parseInt(digits, 16) / 2 ** 12)
  const since = (((bornAt - time) % span) + span) % span
  return since < span / 2
}
