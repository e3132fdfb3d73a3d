import { encodeSse } from '@sluice/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionTarget } from '../auth/caller.ts'
import { formatSseHeartbeat } from '../fan-out/wire-format.ts'
import type { Gate } from '../gate.ts'
import { createListWatch } from '../sessions/list-watch.ts'
import type { SessionResource } from '../sessions/session-info.ts'
import type { SessionQuery } from '../sessions/session-list.ts'
import { countRequest } from './count-request.ts'
import { formatRetry } from './drain-streams.ts'
import { mediaTypes } from './media-type.ts'
import { headersOf } from './open-stream.ts'
import { callerOf } from './request-caller.ts'
import { resetResponse, sendStreamHead } from './stream-peer.ts'

/** The list of sessions as a stream of server-sent events. */
export async function streamSessions(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  query: SessionQuery,
  isVisible: (target: SessionTarget) => boolean,
): Promise<void> {
  const { clock, config, log, directory } = gate
  const caller = callerOf(request)
  const response = reply.raw
  let isBegun = false
  let blockedSince: number | undefined
  let lastSentAt = clock.now()

  const write = (text: string): void => {
    lastSentAt = clock.now()
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
        countRequest(gate, request, reply, 200)
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
    const now = clock.now()
    const isStuck = blockedSince !== undefined && now - blockedSince >= config.limits.stalledMs
    if (isStuck || !gate.authenticator.isCurrent(caller)) resetResponse(response)
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
    gate.listStreams.delete(drain)
  }
  gate.listStreams.add(drain)
  // Whoever leaves while the page is made is seen to leave.
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
