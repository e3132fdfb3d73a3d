import { type Cursor, formatCursor, SluiceError, startCursor } from '@sluice/protocol'
import type { FastifyReply } from 'fastify'
import { type Entered, enterAt, type ViewSpec } from '../../kernel/fan-out/position.ts'
import { createSubscriber } from '../../kernel/fan-out/subscriber.ts'
import {
  formatSseGap,
  type GapNotice,
  ndjsonCursorFormat,
  ndjsonFormat,
  sseFormat,
  type WireFormat,
} from '../../kernel/fan-out/wire-format.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { toInfo } from '../../kernel/sessions/session-info.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'
import type { Backend } from '../backend.ts'
import { countRequest } from '../http/count-request.ts'
import { formatRetry } from '../http/drain-streams.ts'
import { mediaTypes } from '../http/media-type.ts'
import { headersOf } from '../http/reply-headers.ts'
import { callerOf } from '../http/request-caller.ts'
import {
  createStreamConnection,
  ndjsonCursorMarks,
  ndjsonMarks,
  resetResponse,
  type StreamMarks,
  sendStreamHead,
  sseMarks,
} from '../http/stream-connection.ts'

export interface StreamRequest {
  readonly session: Session
  readonly spec: ViewSpec
  readonly after: Cursor | 'now'
  readonly live: boolean
  readonly media: 'sse' | 'ndjson'
  /** For NDJSON: sends a cursor with each frame. */
  readonly cursors: boolean
}

/** Answers with a stream of frames, or with 204 when nothing is left to read and nothing will follow. */
export async function openStream(backend: Backend, reply: FastifyReply, asked: StreamRequest): Promise<void> {
  const { request } = reply
  const { session, spec, media } = asked
  const caller = callerOf(request)
  const head = formatCursor({ seq: session.lastSeq })
  reply.header('sluice-session', session.id).header('sluice-cursor', head)
  if (isAtEnd(session, asked.after)) {
    await reply.code(204).send()
    return
  }
  const { entered, gap } = await enter(session, { spec, after: asked.after, media })
  const { format, marks } = framing(asked)
  const response = reply.raw
  if (response.destroyed || request.raw.socket.destroyed) return
  reply.hijack()
  sendStreamHead(response, {
    ...headersOf(reply),
    'content-type': media === 'sse' ? `${mediaTypes.sse}; charset=utf-8` : mediaTypes.ndjson,
  })
  countRequest(backend, reply, 200)
  request.raw.socket.setNoDelay(true)
  if (gap !== undefined) response.write(formatSseGap(gap))
  const connection = createStreamConnection({
    response,
    format,
    marks,
    outcome: () => outcomeOf(session),
    onDrain: () => subscriber.drained(),
  })
  const delivered = backend.kernel.deliveries.of(format.transport, spec.dialect)
  const subscriber = createSubscriber({
    session,
    spec,
    connection,
    clock: backend.kernel.clock,
    sliceBytes: backend.kernel.config.limits.sliceBytes,
    ...(asked.live ? {} : { stopAt: session.lastSeq }),
    onDelivered: delivered.add,
    onClosed: () => {
      leave()
      place?.drop()
      session.readers.delete(reader)
    },
  })
  const reader = {
    reset: () => {
      subscriber.close()
      resetResponse(response)
    },
  }
  const leave = backend.kernel.subscribers.enrol({
    transport: format.transport,
    reader: subscriber,
    isAllowed: () => backend.authenticator.isCurrent(caller),
    reset: reader.reset,
    drain: (retryMs) => {
      if (media !== 'sse' || subscriber.isStalled) reader.reset()
      else response.write(formatRetry(retryMs), reader.reset)
    },
  })
  const place =
    media === 'sse' && asked.live && caller.can('answer', targetOf(session))
      ? backend.kernel.questions.answerers.enrol({ reaches: ({ id }) => id === session.id })
      : undefined
  session.readers.add(reader)
  response.on('close', subscriber.close)
  response.on('error', subscriber.close)
  subscriber.start(entered)
}

/** Whether nothing follows this place and nothing ever will. */
export function isAtEnd(session: Session, after: Cursor | 'now'): boolean {
  if (!session.isEnded) return false
  return after === 'now' || (after.seq === session.lastSeq && after.units === undefined)
}

export interface Entrance {
  readonly entered: Entered
  readonly gap: GapNotice | undefined
}

/** Where a reader joins a session, and in which view. */
interface Joining {
  readonly spec: ViewSpec
  readonly after: Cursor | 'now'
  readonly media: 'sse' | 'ndjson' | 'json' | 'ws'
}

/**
 * Joins at the requested place. If it does not exist, SSE and WebSocket readers start over with a gap notice;
 * others get the error `gap`.
 */
export async function enter(session: Session, { spec, after, media }: Joining): Promise<Entrance> {
  const cursor = after === 'now' ? { seq: session.lastSeq } : after
  const entered = await enterAt(spec, session, cursor)
  if (entered !== undefined) return { entered, gap: undefined }
  const gap: GapNotice = {
    requested: formatCursor(cursor),
    oldest: formatCursor(startCursor),
    head: formatCursor({ seq: session.lastSeq }),
  }
  if (media === 'json' || media === 'ndjson') throw new SluiceError('gap', { details: { ...gap } })
  const restarted = await enterAt(spec, session, startCursor)
  if (restarted === undefined) throw new SluiceError('gap', { details: { ...gap } })
  return { entered: restarted, gap }
}

export function outcomeOf(session: Session): string | undefined {
  return session.head === undefined ? undefined : toInfo(session.head.info).outcome
}

function framing({ media, cursors }: StreamRequest): {
  readonly format: WireFormat
  readonly marks: StreamMarks
} {
  if (media === 'sse') return { format: sseFormat, marks: sseMarks }
  return cursors
    ? { format: ndjsonCursorFormat, marks: ndjsonCursorMarks }
    : { format: ndjsonFormat, marks: ndjsonMarks }
}
