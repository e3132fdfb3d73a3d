import type { CheckedRequest } from '../request/checked-request.ts'

/** The failure of a run that requested a session which codex does not have, by how the request chose it. */
export function toMissingMessage({ resume, fork }: CheckedRequest): string {
  return (resume ?? fork)?.selector === 'last' ? 'no session found' : 'session not found'
}

/**
 * Whether codex works in a session other than the requested one. It starts another if there is no last
 * session, or if it does not know the given name, and reports neither as an error (seen with 0.166).
 */
export function isOtherSession(
  { resume }: CheckedRequest,
  session: string,
  startedAt: number | undefined,
): boolean {
  if (resume === undefined) return false
  if (resume.selector === 'id') return resume.id.toLowerCase() !== session.toLowerCase()
  const bornAt = timeOf(session)
  return bornAt !== undefined && startedAt !== undefined && bornAt >= startedAt
}

/** When an id was created, if it is a UUID of version 7 (RFC 9562 §5.7). */
function timeOf(id: string): number | undefined {
  const found = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/i.exec(id)
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16)
}
