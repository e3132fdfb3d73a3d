import { errorTable, omitUndefined, parseFrame, SluiceError } from '@sluice/protocol'
import type { RawData } from 'ws'
import type { Caller } from '../../../access/caller.ts'
import { createPublisher, toAnswer, toSized } from '../../../kernel/sessions/publishing.ts'
import { sendAnswer, sendCancel, sendMessage } from '../../../kernel/sessions/send-input.ts'
import { createdBy } from '../../../kernel/sessions/session-info.ts'
import type { Backend } from '../../backend.ts'
import type { OpenSocket } from '../../http/open-socket.ts'
import { toSessionParam } from '../../http/parameters.ts'
import { toMessage } from '../routes/inputs.ts'
import { type ClientSocket, type Reading, sendError } from './client-socket.ts'
import { type ClientMessage, parseClientMessage } from './messages.ts'
import { createOutbox } from './outbox.ts'
import { subscribe } from './subscribe.ts'
import { watch } from './watch.ts'

/** While this many requests are unfinished, no others are read. */
const maxQueued = 32
/**
 * More messages than this have been read at once only if they are smaller than any with an event: reading
 * stops between reads of the socket, which are at most 80 KB.
 */
const maxUnfinished = 1024
/** The longest delay of Node's timers; the heartbeat notices later expiries. */
const maxTimerMs = 2 ** 31 - 1

/** Serves one WebSocket: many sessions, requests handled in the order of arrival. */
export function serveConnection(backend: Backend, open: OpenSocket, caller: Caller): void {
  const { clock, config } = backend.kernel
  const { ws, socket } = open
  // Deferred: the reader that completes its message has not recorded that yet.
  const outbox = createOutbox(open, clock, () => queueMicrotask(() => serveStalled()))
  const readings = new Map<string, Reading>()
  const moved = new Map<string, string>()
  const line: ClientSocket = { backend, caller, ws, outbox, readings, watches: new Set(), moved }
  let queue: Promise<void> = Promise.resolve()
  let queued = 0
  let isAlive = true
  let onRoom = (): void => {}
  let fullSince: number | undefined

  const regulate = (): void => {
    if (outbox.isFull || queued >= maxQueued) ws.pause()
    else ws.resume()
  }

  const shut = (code: 'overloaded' | 'token_expired'): void => {
    ws.close(errorTable[code].close, code)
    // Without reading, the client's answer to the close would not be seen.
    ws.resume()
  }

  const take = (data: RawData, isBinary: boolean): void => {
    isAlive = true
    if (ws.readyState !== ws.OPEN) return
    if (queued >= maxUnfinished) {
      shut('overloaded')
      return
    }
    queued += 1
    regulate()
    queue = queue.then(async () => {
      await room()
      await handle(data, isBinary)
      queued -= 1
      if (ws.readyState === ws.OPEN) regulate()
    })
  }

  /** Waits until the answer can be sent: answers must not pile up for a client that does not read them. */
  const room = (): Promise<void> | undefined =>
    outbox.isFull && ws.readyState === ws.OPEN
      ? new Promise((resolve) => {
          onRoom = resolve
        })
      : undefined

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
      if (backend.kernel.isDraining) throw new SluiceError('closed')
      if (!backend.authenticator.isCurrent(caller)) throw new SluiceError('token_expired')
      const message = parseClientMessage(value)
      if (message.type !== 'publish' && Buffer.byteLength(text) > config.limits.eventBytes)
        throw new SluiceError('event_too_large', { details: { limit: config.limits.eventBytes } })
      await act(message)
    } catch (error) {
      sendError(line, ref, error)
    }
  }

  const act = async (message: ClientMessage): Promise<void> => {
    switch (message.type) {
      case 'ping':
        outbox.send(omitUndefined({ type: 'pong', ref: message.ref }))
        return
      case 'subscribe':
        return subscribe(line, message)
      case 'watch':
        return watch(line, message)
      case 'unsubscribe':
        readings.get(message.ref)?.close()
        outbox.send({ type: 'done', ref: message.ref })
        return
      case 'publish':
        return publish(message)
      case 'answer': {
        const { token, decision, response } = message
        const session = await backend.kernel.reach(caller, idOf(message), 'answer')
        const given = omitUndefined({
          token,
          decision,
          response,
        })
        const counted = await sendAnswer(backend.kernel, session, { caller, answer: given, via: 'ws' })
        outbox.send({ type: 'done', ref: message.ref, counted })
        return
      }
      case 'cancel': {
        const session = await backend.kernel.reach(caller, idOf(message), 'answer')
        outbox.send({
          type: 'done',
          ref: message.ref,
          cursor: await sendCancel(session, caller, message.reason),
        })
        return
      }
      case 'message': {
        const { id, parts } = toMessage(message)
        const session = await backend.kernel.reach(caller, idOf(message), 'answer')
        outbox.send({
          type: 'done',
          ref: message.ref,
          id,
          cursor: await sendMessage(session, caller, { id, parts }),
        })
        return
      }
    }
  }

  const publish = async (message: Extract<ClientMessage, { type: 'publish' }>): Promise<void> => {
    const { id, foreign } = toSessionParam(message.session, message.agent)
    const session = await backend.kernel.reachOrBegin(caller, id)
    const texts = message.events.map((event) => JSON.stringify(event))
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    const publisher = createPublisher(backend.kernel, {
      session,
      caller,
      dialect: message.dialect === undefined ? undefined : backend.kernel.dialect(message.dialect),
      claim: message.producer,
      trace: undefined,
      info: { ...createdBy(caller), ...omitUndefined({ foreign }) },
      atomic: false,
    })
    const release = backend.kernel.pending.reserve(bytes)
    try {
      await publisher.publish(texts.map((text, index) => toSized(text, index + 1, config.limits.eventBytes)))
    } finally {
      release()
    }
    outbox.send({ type: 'done', ref: message.ref, ...toAnswer(publisher.tally) })
  }

  /**
   * Continues the readers that had to wait: first the one in the middle of a message, then the others in
   * turn.
   */
  const serveStalled = (): void => {
    const { sending } = outbox
    if (sending !== undefined) readings.get(sending)?.drained()
    for (const [ref, reading] of [...readings]) {
      if (outbox.isFull || outbox.sending !== undefined) break
      if (!reading.isStalled) continue
      // Moves it to the end of the queue, so that a reader far from the head does not keep the others
      // waiting.
      readings.delete(ref)
      readings.set(ref, reading)
      reading.drained()
    }
  }

  const beat = (): void => {
    if (!backend.authenticator.isCurrent(caller)) {
      shut('token_expired')
      return
    }
    // The peer has not answered since the last heartbeat.
    if (!isAlive && !outbox.isFull) {
      ws.terminate()
      return
    }
    isAlive = false
    if (outbox.isFull) {
      fullSince ??= clock.monotonic()
      if (clock.monotonic() - fullSince >= config.limits.stalledMs) ws.terminate()
    } else {
      ws.ping()
      const cursors = Object.fromEntries(moved)
      moved.clear()
      if (outbox.sentAt <= clock.monotonic() - config.heartbeatMs || Object.keys(cursors).length > 0)
        outbox.send({ type: 'heartbeat', cursors })
    }
    timer = clock.after(config.heartbeatMs, beat)
  }
  let timer = clock.after(config.heartbeatMs, beat)
  const expiry =
    caller.expiresAt === undefined
      ? undefined
      : clock.after(Math.min(maxTimerMs, Math.max(0, caller.expiresAt - clock.now())), () => {
          if (!backend.authenticator.isCurrent(caller)) shut('token_expired')
        })

  const place = caller.canSome('answer')
    ? backend.kernel.questions.answerers.enrol({ reaches: (session) => caller.can('answer', session) })
    : undefined

  ws.on('message', take)
  ws.on('pong', () => {
    isAlive = true
  })
  socket.on('drain', () => {
    fullSince = undefined
    onRoom()
    serveStalled()
    regulate()
  })
  ws.on('error', () => ws.terminate())
  ws.on('close', () => {
    timer.clear()
    expiry?.clear()
    place?.drop()
    onRoom()
    for (const reading of [...readings.values()]) reading.close()
  })
}

function idOf(message: { readonly session: string; readonly agent?: string }): string {
  return toSessionParam(message.session, message.agent).id
}
