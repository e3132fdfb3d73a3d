import { encodeSse, type SessionResource } from '@sluice/protocol'
import type { FastifyReply } from 'fastify'
import type { SessionTarget } from '../../access/caller.ts'
import { formatSseHeartbeat } from '../../kernel/fan-out/wire-format.ts'
import { createListWatch } from '../../kernel/sessions/list-watch.ts'
import type { SessionQuery } from '../../kernel/sessions/session-list.ts'
import type { Backend } from '../backend.ts'
import { countRequest } from '../http/count-request.ts'
import { formatRetry } from '../http/drain-streams.ts'
import { mediaTypes } from '../http/media-type.ts'
import { headersOf } from '../http/reply-headers.ts'
import { callerOf } from '../http/request-caller.ts'
import { resetResponse, sendStreamHead } from '../http/stream-connection.ts'

/** The sessions of a list: those that match a query and that the caller may see. */
interface WatchedList {
  readonly query: SessionQuery
  readonly isVisible: (target: SessionTarget) => boolean
}

/** Streams the list of sessions as server-sent events. */
export async function streamSessions(
  backend: Backend,
  reply: FastifyReply,
  { query, isVisible }: WatchedList,
): Promise<void> {
  const { clock, config, log, directory } = backend.kernel
  const caller = callerOf(reply.request)
  const response = reply.raw
  let isBegun = false
  let blockedSince: number | undefined
  let lastSentAt = clock.monotonic()

  const write = (text: string): void => {
    lastSentAt = clock.monotonic()
    if (text !== '' && !response.write(text)) blockedSince ??= lastSentAt
  }
  const watch = createListWatch({
    log,
    directory,
    query,
    isVisible,
    wire: {
      isFree: () => blockedSince === undefined,
      begin() {
        isBegun = true
        reply.hijack()
        sendStreamHead(response, { ...headersOf(reply), 'content-type': `${mediaTypes.sse}; charset=utf-8` })
        countRequest(backend, reply, 200)
        response.on('drain', () => {
          blockedSince = undefined
          watch.drained()
        })
      },
      sessions: (resources) => write(resources.map(formatSession).join('')),
      ready: () => write(encodeSse({ event: 'ready', data: '{}' })),
      deleted: (id) => write(encodeSse({ event: 'deleted', data: JSON.stringify({ id }) })),
      fail: () => resetResponse(response),
    },
  })
  let beat = clock.after(config.heartbeatMs, () => keepAlive())
  const keepAlive = (): void => {
    const now = clock.monotonic()
    const isStuck = blockedSince !== undefined && now - blockedSince >= config.limits.stalledMs
    if (isStuck || !backend.authenticator.isCurrent(caller)) resetResponse(response)
    else if (isBegun && blockedSince === undefined && lastSentAt <= now - config.heartbeatMs)
      write(formatSseHeartbeat(undefined))
    beat = clock.after(config.heartbeatMs, keepAlive)
  }
  const drain = (retryMs: number): void => {
    if (!isBegun || blockedSince !== undefined) resetResponse(response)
    else response.write(formatRetry(retryMs), () => resetResponse(response))
  }
  const stop = (): void => {
    watch.close()
    beat.clear()
    backend.listStreams.delete(drain)
  }
  backend.listStreams.add(drain)
  // Before the first page is made, so that a client that leaves meanwhile is noticed.
  response.on('close', stop)
  response.on('error', stop)
  try {
    await watch.start()
  } catch (error) {
    stop()
    throw error
  }
}

function formatSession(resource: SessionResource): string {
  return encodeSse({ event: 'session', data: JSON.stringify(resource) })
}
