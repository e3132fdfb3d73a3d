import { encodeSse } from '@sluice/protocol'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { Subscription } from '../../features/aaep/registry-subscription.ts'
import type { SubscriptionConnection } from '../../features/aaep/stream.ts'
import { formatSseHeartbeat } from '../../kernel/fan-out/wire-format.ts'
import type { Backend } from '../backend.ts'
import { countRequest } from '../http/count-request.ts'
import { formatRetry } from '../http/drain-streams.ts'
import { mediaTypes } from '../http/media-type.ts'
import { headersOf } from '../http/reply-headers.ts'
import { resetResponse, sendStreamHead } from '../http/stream-connection.ts'

export interface AaepStreamRequest {
  readonly caller: Caller
  readonly subscription: Subscription
  /** Whether each event has the field `event: aaep.event`. */
  readonly isNamed: boolean
}

/**
 * Answers with the events of a subscription as SSE, or with 204 when nothing is left and nothing will follow.
 */
export async function openAaepStream(
  backend: Backend,
  reply: FastifyReply,
  { caller, subscription, isNamed }: AaepStreamRequest,
): Promise<FastifyReply> {
  const { request, raw: response } = reply
  const lastEventId = request.headers['last-event-id']
  const connection: SubscriptionConnection = {
    write(events) {
      let text = ''
      for (const { id, data } of events)
        text += isNamed ? encodeSse({ event: 'aaep.event', id, data }) : encodeSse({ id, data })
      return response.write(text)
    },
    heartbeat: () => {
      response.write(formatSseHeartbeat(undefined))
    },
    finish: () => response.end(),
    reset: () => resetResponse(response),
  }
  const asked = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined
  const open = await backend.subscriptions.open(subscription, caller, {
    connection,
    lastEventId: asked,
    transport: 'sse',
  })
  const { stream } = open
  if (response.destroyed || request.raw.socket.destroyed) {
    stream.close()
    return reply
  }
  if (open.isOver) {
    stream.close()
    return reply.code(204).send()
  }
  reply.hijack()
  sendStreamHead(response, { ...headersOf(reply), 'content-type': `${mediaTypes.sse}; charset=utf-8` })
  countRequest(backend, reply, 200)
  request.raw.socket.setNoDelay(true)
  const unenrol = backend.kernel.subscribers.enrol({
    transport: 'sse',
    reader: stream,
    isAllowed: () => backend.authenticator.isCurrent(caller),
    reset: stream.reset,
    drain(retryMs) {
      if (stream.isStalled) stream.reset()
      else response.write(formatRetry(retryMs), stream.reset)
    },
  })
  response.on('drain', stream.drained)
  const leave = (): void => {
    unenrol()
    stream.close()
  }
  response.on('close', leave)
  response.on('error', leave)
  stream.start()
  return reply
}
