import { encodeSse } from '@sluice/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatSseHeartbeat } from '../fan-out/wire-format.ts'
import type { Gate } from '../gate.ts'
import type { Session } from '../sessions/session.ts'
import { type SessionResource, toResource } from '../sessions/session-info.ts'
import { listSessions, matches, type SessionQuery } from '../sessions/session-list.ts'
import { countRequest } from './count-request.ts'
import { formatRetry } from './drain-streams.ts'
import { mediaTypes } from './media-type.ts'
import { headersOf } from './open-stream.ts'
import { callerOf } from './request-caller.ts'
import { resetResponse, sendStreamHead } from './stream-peer.ts'

/**
 * The list of sessions as a stream: the page, then what changes. A slow reader costs the names of the sessions that
 * changed since it last took something; it gets each as it is then.
 */
export async function streamSessions(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  query: SessionQuery,
  isVisible: (resource: SessionResource) => boolean,
): Promise<void> {
  const caller = callerOf(request)
  const changed = new Map<string, Session | undefined>()
  let isReady = false
  let isBlocked = false
  let lastSentAt = gate.clock.now()
  const response = reply.raw

  const write = (text: string): void => {
    lastSentAt = gate.clock.now()
    isBlocked = !response.write(text)
  }
  const flush = (): void => {
    for (const [id, session] of changed) {
      if (!isReady || isBlocked) return
      changed.delete(id)
      const resource = session?.head === undefined ? undefined : toResource(session.head)
      if (resource === undefined) write(encodeSse({ event: 'deleted', data: JSON.stringify({ id }) }))
      // One that was told of is told of once more when it no longer matches.
      else if ((known.has(id) || matches(resource, query)) && isVisible(resource))
        write(formatSession(resource))
    }
  }
  // What changes while the page is read comes behind it.
  const unwatch = gate.directory.watch((change) => {
    if (change.type === 'changed') changed.set(change.session.id, change.session)
    else if (known.has(change.id)) changed.set(change.id, undefined)
    else changed.delete(change.id)
    flush()
  })
  const known = new Set<string>()
  const formatSession = (resource: SessionResource): string => {
    known.add(resource.id)
    return encodeSse({ event: 'session', data: JSON.stringify(resource) })
  }
  let beat = gate.clock.after(gate.config.heartbeatMs, () => keepAlive())
  const keepAlive = (): void => {
    if (!gate.authenticator.isCurrent(caller)) resetResponse(response)
    else if (!isBlocked && lastSentAt <= gate.clock.now() - gate.config.heartbeatMs)
      write(formatSseHeartbeat(undefined))
    beat = gate.clock.after(gate.config.heartbeatMs, keepAlive)
  }
  const drain = (retryMs: number): void => {
    if (!isReady || isBlocked) resetResponse(response)
    else response.write(formatRetry(retryMs), () => resetResponse(response))
  }
  const stop = (): void => {
    unwatch()
    beat.clear()
    gate.listStreams.delete(drain)
  }
  gate.listStreams.add(drain)
  // Whoever leaves while the page is made is seen to leave.
  response.on('close', stop)
  response.on('error', stop)
  try {
    const page = await listSessions(gate.log, query, isVisible)
    if (response.destroyed) return
    reply.hijack()
    sendStreamHead(response, { ...headersOf(reply), 'content-type': `${mediaTypes.sse}; charset=utf-8` })
    countRequest(gate, request, reply, 200)
    response.on('drain', () => {
      isBlocked = false
      flush()
    })
    // Oldest first, so that a client which puts each on top has them in order.
    const texts = [...page.sessions].reverse().map(formatSession)
    write(`${texts.join('')}${encodeSse({ event: 'ready', data: '{}' })}`)
    isReady = true
    flush()
  } catch (error) {
    stop()
    throw error
  }
}
