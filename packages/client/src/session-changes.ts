import type { JsonObject } from '@sluice/protocol'
import { parseObject } from './parse-object.ts'
import type { SessionChange, SessionResource } from './resources.ts'
import { readSessionChanges } from './socket-message.ts'
import type { SocketReadings } from './socket-readings.ts'
import { readSse, type SseParts } from './sse-stream.ts'
import type { Attempt } from './stay-connected.ts'

/** Which sessions to list. */
export interface SessionCriteria {
  readonly state?: SessionResource['state']
  readonly context?: string
  /** Labels that a session must have. */
  readonly labels?: Readonly<Record<string, string>>
  /** Text that the id, foreign id, title, agent or a label contains. */
  readonly q?: string
}

/** One connection that follows the list of sessions. Never returns, and throws whatever stops it. */
export type ChangeTransport = (
  criteria: SessionCriteria,
  attempt: Attempt,
) => AsyncGenerator<readonly SessionChange[], void>

export function toQuery({ state, context, labels, q }: SessionCriteria) {
  const label = Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`)
  return { state, context, q, label }
}

/** Follows the list as server-sent events over fetch (docs/http-api.md, "Sessions"). */
export function createSseChanges(parts: SseParts): ChangeTransport {
  return async function* read(criteria, attempt) {
    const call = { path: ['sessions'], query: { ...toQuery(criteria), live: 'true' } }
    let isBegun = false
    for await (const { messages } of readSse(call, attempt, parts)) {
      const changes = messages.flatMap(({ event, data }) => toChanges(event, data))
      if (changes.some(({ type }) => type === 'ready')) attempt.caughtUp()
      yield isBegun ? changes : [{ type: 'begin' }, ...changes]
      isBegun = true
    }
  }
}

function toChanges(event: string | undefined, data: string): SessionChange[] {
  if (event === 'ready') return [{ type: 'ready' }]
  if (event === 'deleted') return [{ type: 'deleted', id: String(parseObject(data)['id']) }]
  if (event !== 'session') return []
  const session: unknown = parseObject(data)
  return [{ type: 'session', session: session as SessionResource }] // as docs/http-api.md specifies
}

/** Follows the list over a WebSocket (docs/http-api.md, "WebSocket"). */
export function createSocketChanges(readings: SocketReadings): ChangeTransport {
  return async function* read({ state, context, labels, q }, attempt) {
    let isPage = true
    const what = {
      request: () => ({ type: 'watch', state, context, labels, q }),
      read: readSessionChanges,
      // The first page does not count: a reader that gave it up would only receive the same page again.
      weigh({ type }: JsonObject, size: number) {
        if (type === 'watching') isPage = true
        if (type === 'ready') isPage = false
        return isPage ? 0 : size
      },
      likewise: () => ({ path: ['sessions'], query: { limit: '1' } }),
    }
    for await (const changes of readings(what, attempt)) {
      attempt.opened()
      if (changes.some(({ type }) => type === 'ready')) attempt.caughtUp()
      yield changes
    }
  }
}
