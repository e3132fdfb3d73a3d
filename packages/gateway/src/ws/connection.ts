import type { Socket } from 'node:net'
import { errorTable, formatCursor, parseFrame, SluiceError } from '@sluice/protocol'
import type { RawData, WebSocket } from 'ws'
import type { Caller } from '../auth/caller.ts'
import { createSubscriber, type Subscriber } from '../fan-out/subscriber.ts'
import { dialectView } from '../fan-out/view-spec.ts'
import { wsFormat } from '../fan-out/wire-format.ts'
import type { Gate } from '../gate.ts'
import { enter, outcomeOf } from '../http/open-stream.ts'
import { parseAfter, parseCoalescing, toSessionParam } from '../http/parameters.ts'
import { toProblem, toSluiceError } from '../http/problem.ts'
import { toMessage } from '../http/routes/inputs.ts'
import { createPublisher, toAnswer, toSized } from '../sessions/publishing.ts'
import { sendAnswer, sendCancel, sendMessage } from '../sessions/send-input.ts'
import { type ClientMessage, parseClientMessage } from './messages.ts'
import { createOutbox } from './outbox.ts'

/** Beyond so many requests that are not done, no more are read. */
const maxQueued = 32
/** Node's timers hold no more; the heartbeat finds later expiries out. */
const maxTimerMs = 2 ** 31 - 1

/** Serves one WebSocket: many sessions, requests done in the order in which they came. */
export function serveConnection(gate: Gate, ws: WebSocket, socket: Socket, caller: Caller): void {
  const { clock, config } = gate
  const subscriptions = new Map<string, Subscriber>()
  // Not at once: the one who completes its message has not noted that yet.
  const outbox = createOutbox(ws, socket, clock, () => queueMicrotask(() => serveStalled()))
  const moved = new Map<string, string>()
  let queue: Promise<void> = Promise.resolve()
  let queued = 0
  let isAlive = true

  const regulate = (): void => {
    if (outbox.isFull || queued >= maxQueued) ws.pause()
    else ws.resume()
  }

  const take = (data: RawData, isBinary: boolean): void => {
    isAlive = true
    queued += 1
    regulate()
    queue = queue.then(async () => {
      await handle(data, isBinary)
      queued -= 1
      if (ws.readyState === ws.OPEN) regulate()
    })
  }

  const handle = async (data: RawData, isBinary: boolean): Promise<void> => {
    if (ws.readyState !== ws.OPEN) return
    let ref: string | undefined
    try {
      if (isBinary) throw new SluiceError('bad_request', { message: 'Messages are text.' })
      const text = String(data)
      const parsed = parseFrame(text)
      if (!parsed.ok) throw new SluiceError('bad_request', { message: parsed.finding.message })
      const { value } = parsed.frame
      ref =
        typeof value === 'object' && value !== null && 'ref' in value && typeof value.ref === 'string'
          ? value.ref
          : undefined
      if (gate.isDraining) throw new SluiceError('closed')
      if (!gate.authenticator.isCurrent(caller)) throw new SluiceError('token_expired')
      const message = parseClientMessage(value)
      if (message.type !== 'publish' && Buffer.byteLength(text) > config.limits.eventBytes)
        throw new SluiceError('event_too_large', { details: { limit: config.limits.eventBytes } })
      await act(message)
    } catch (error) {
      const known = toSluiceError(error)
      if (known.code === 'internal') gate.logger.error({ err: error }, 'a WebSocket request failed')
      const { type: _type, title: _title, status: _status, detail, ...details } = toProblem(known)
      if (ws.readyState === ws.OPEN)
        outbox.send({ type: 'error', ...(ref === undefined ? {} : { ref }), message: detail, ...details })
    }
  }

  const act = async (message: ClientMessage): Promise<void> => {
    switch (message.type) {
      case 'ping':
        outbox.send({ type: 'pong', ...(message.ref === undefined ? {} : { ref: message.ref }) })
        return
      case 'subscribe':
        return subscribe(message)
      case 'unsubscribe':
        subscriptions.get(message.ref)?.close()
        outbox.send({ type: 'done', ref: message.ref })
        return
      case 'publish':
        return publish(message)
      case 'answer': {
        const { token, decision, response } = message
        const session = await gate.reach(caller, idOf(message), 'answer')
        const given = {
          token,
          ...(decision === undefined ? {} : { decision }),
          ...(response === undefined ? {} : { response }),
        }
        await sendAnswer(gate, session, caller, given, 'ws')
        outbox.send({ type: 'done', ref: message.ref })
        return
      }
      case 'cancel': {
        const session = await gate.reach(caller, idOf(message), 'answer')
        outbox.send({
          type: 'done',
          ref: message.ref,
          cursor: await sendCancel(session, caller, message.reason),
        })
        return
      }
      case 'message': {
        const { id, parts } = toMessage(message)
        const session = await gate.reach(caller, idOf(message), 'answer')
        outbox.send({
          type: 'done',
          ref: message.ref,
          id,
          cursor: await sendMessage(session, caller, id, parts),
        })
        return
      }
    }
  }

  const subscribe = async (message: Extract<ClientMessage, { type: 'subscribe' }>): Promise<void> => {
    const { ref } = message
    if (subscriptions.has(ref))
      throw new SluiceError('bad_request', { message: 'This ref is in use.', details: { path: '/ref' } })
    if (subscriptions.size >= config.limits.subscriptionsPerConnection)
      throw new SluiceError('too_many_connections', {
        message: 'The connection has as many subscriptions as it may have.',
      })
    const dialect = gate.dialect(message.dialect ?? 'sluice')
    const coalescing = message.coalesce === undefined ? undefined : parseCoalescing(message.coalesce)
    const spec = dialectView(dialect, coalescing)
    const after = parseAfter(message.after ?? '-1')
    const session = await gate.reach(caller, idOf(message), 'subscribe')
    const { entered, gap } = await enter(session, spec, after, 'ws')
    if (ws.readyState !== ws.OPEN) return
    outbox.send({
      type: 'subscribed',
      ref,
      session: session.id,
      head: formatCursor({ seq: session.lastSeq }),
    })
    if (gap !== undefined) outbox.send({ type: 'gap', ref, ...gap })
    const reader = {
      reset: () => {
        subscriber.close()
        if (ws.readyState === ws.OPEN) outbox.send({ type: 'error', ref, ...resetProblem })
      },
    }
    const subscriber = createSubscriber({
      session,
      spec,
      clock,
      sliceBytes: config.limits.sliceBytes,
      entered,
      peer: {
        format: wsFormat,
        write: (bytes, slice) => outbox.sendFrames(ref, bytes, slice),
        isBusy: () => outbox.sending !== undefined && outbox.sending !== ref,
        heartbeat: (cursor) => {
          if (cursor !== undefined) moved.set(ref, cursor)
        },
        finish: ({ cursor }) => outbox.send({ type: 'end', ref, cursor, outcome: outcomeOf(session) }),
        reset: () => {
          if (ws.readyState === ws.OPEN) outbox.send({ type: 'error', ref, ...unreadable })
        },
      },
      onDelivered: gate.deliveries.of('ws', dialect.id).add,
      onClosed: () => {
        subscriptions.delete(ref)
        // Half a message cannot be taken back; the client comes back with its cursors.
        if (outbox.sending === ref) ws.terminate()
        session.readers.delete(reader)
        leave()
      },
    })
    const leave = gate.roster.enrol({
      transport: 'ws',
      subscriber,
      isAllowed: () => true, // asked once for the whole connection
      reset: () => ws.terminate(),
      drain: () => {},
    })
    subscriptions.set(ref, subscriber)
    session.readers.add(reader)
    subscriber.start()
  }

  const publish = async (message: Extract<ClientMessage, { type: 'publish' }>): Promise<void> => {
    const { id, foreign } = toSessionParam(message.session, message.agent)
    const session = await gate.reachOrBegin(caller, id)
    const texts = message.events.map((event) => JSON.stringify(event))
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    const publisher = createPublisher(gate, {
      session,
      caller,
      dialect: message.dialect === undefined ? undefined : gate.dialect(message.dialect),
      claim: message.producer,
      trace: undefined,
      info: { owner: caller.subject, ...(foreign === undefined ? {} : { foreign }) },
      atomic: false,
    })
    const release = gate.pending.reserve(bytes)
    try {
      await publisher.publish(texts.map((text, index) => toSized(text, index + 1, config.limits.eventBytes)))
    } finally {
      release()
    }
    outbox.send({ type: 'done', ref: message.ref, ...toAnswer(publisher.tally) })
  }

  /** Lets those go on who could not be written to: first the one in the middle of a message, then the others in turn. */
  const serveStalled = (): void => {
    const { sending } = outbox
    if (sending !== undefined) subscriptions.get(sending)?.drained()
    for (const [ref, subscriber] of [...subscriptions]) {
      if (outbox.isFull || outbox.sending !== undefined) break
      if (!subscriber.isStalled) continue
      // To the end of the row, so that one with much to catch up does not keep the others waiting.
      subscriptions.delete(ref)
      subscriptions.set(ref, subscriber)
      subscriber.drained()
    }
  }

  const beat = (): void => {
    if (!gate.authenticator.isCurrent(caller)) {
      ws.close(errorTable.token_expired.close, 'token_expired')
      return
    }
    // A peer that answered nothing for two heartbeats is gone.
    if (!isAlive && !outbox.isFull) {
      ws.terminate()
      return
    }
    isAlive = false
    if (!outbox.isFull) {
      ws.ping()
      const cursors = Object.fromEntries(moved)
      moved.clear()
      if (outbox.sentAt <= clock.now() - config.heartbeatMs || Object.keys(cursors).length > 0)
        outbox.send({ type: 'heartbeat', cursors })
    }
    timer = clock.after(config.heartbeatMs, beat)
  }
  let timer = clock.after(config.heartbeatMs, beat)
  const expiry =
    caller.expiresAt === undefined
      ? undefined
      : clock.after(Math.min(maxTimerMs, Math.max(0, caller.expiresAt - clock.now())), () => {
          if (!gate.authenticator.isCurrent(caller)) ws.close(errorTable.token_expired.close, 'token_expired')
        })

  const place = caller.canSome('answer')
    ? gate.questions.answerers.enrol({ reaches: (id) => caller.can('answer', { id, labels: {} }) })
    : undefined

  ws.on('message', take)
  ws.on('pong', () => {
    isAlive = true
  })
  socket.on('drain', () => {
    serveStalled()
    regulate()
  })
  ws.on('error', () => ws.terminate())
  ws.on('close', () => {
    timer.clear()
    expiry?.clear()
    place?.drop()
    for (const subscriber of [...subscriptions.values()]) subscriber.close()
  })
}

const unreadable = {
  code: 'storage_failed',
  message: 'The session cannot be read; try again from the last cursor.',
  retryable: true,
}
const resetProblem = { code: 'unknown_session', message: 'The session is no longer there.', retryable: false }

function idOf(message: { readonly session: string; readonly agent?: string }): string {
  return toSessionParam(message.session, message.agent).id
}
