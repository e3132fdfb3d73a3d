import { defaultMaxFrameBytes, type JsonObject, omitUndefined } from '@sluice/protocol'
import { WebSocket } from 'ws'
import { objectOf, textOf } from '../story.ts'
import { authorize } from './http-request.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { closing, unknownId } from './requests.ts'
import type { ConnectOptions, ProducerTransport, Resumed, Subscription, Writable } from './subscription.ts'

/** AAEP over WebSocket (Appendix B). */
export function createSocketTransport(options: ConnectOptions): ProducerTransport {
  const { answerMs } = options
  return {
    hasHandshake: true,
    async probe(request) {
      const recorder = createRecorder(options.clock, options.foreign)
      const socket = await connect(options, recorder)
      const answer = await negotiate(request, socket, { recorder, answerMs })
      socket?.close(4000)
      return answer
    },
    async open(role, request) {
      const recorder = createRecorder(options.clock, options.foreign)
      let socket = await connect(options, recorder)
      const accepted = await negotiate(request, socket, { recorder, answerMs })
      if (accepted?.['type'] !== 'subscription.accepted') return undefined
      const cut = (): void => {
        socket?.removeAllListeners('message').removeAllListeners('close')
        socket?.terminate()
      }
      const resume = async (after: string): Promise<void> => {
        // Recorded before anything can arrive on the new connection.
        const resumed: Writable<Resumed> = {
          kind: 'resumed',
          atMs: options.clock.monotonic(),
          after,
          isTaken: false,
        }
        recorder.push(resumed)
        socket = await connect(options, recorder)
        const again = await negotiate(takingUp(request, accepted, after), socket, { recorder, answerMs })
        resumed.isTaken = textOf(again, 'subscription_id') === textOf(accepted, 'subscription_id')
      }
      if (role === 'lost') {
        cut()
        recorder.forget(sessionsIn(recorder))
        await resume(unknownId)
      }
      const subscription: Subscription = {
        role,
        recorder,
        request,
        accepted,
        async send(intent, message, about) {
          recorder.push({
            kind: 'sent',
            atMs: options.clock.monotonic(),
            intent,
            message,
            ...omitUndefined({ about }),
          })
          socket?.send(JSON.stringify(message))
          if (intent === 'renegotiate')
            await recorder.until((items) => items.at(-1)?.kind === 'message', answerMs)
        },
        cut,
        resume,
        async release() {
          if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(closing(accepted)))
          cut()
        },
      }
      return subscription
    },
  }
}

function sessionsIn(recorder: Recorder): ReadonlySet<string> {
  return new Set(
    recorder.items.flatMap((item) => (item.kind === 'event' ? [textOf(item.event, 'session_id')] : [])),
  )
}

/** AAEP defines no resumption over WebSocket. This is Sluice's extension, which other producers ignore. */
function takingUp(request: JsonObject, accepted: JsonObject, after: string): JsonObject {
  const sluice = { subscription_id: textOf(accepted, 'subscription_id'), last_event_id: after }
  return { ...request, extensions: { ...objectOf(request, 'extensions'), sluice } }
}

/** Undefined when the connection is refused. */
function connect(options: ConnectOptions, recorder: Recorder): Promise<WebSocket | undefined> {
  const socket = new WebSocket(`${options.url.replace(/^http/, 'ws')}/aaep/v1/ws`, 'aaep.v1', {
    headers: authorize(options),
    maxPayload: defaultMaxFrameBytes,
  })
  socket.on('message', (data, isBinary) => {
    if (isBinary)
      recorder.push({
        kind: 'garbage',
        atMs: options.clock.monotonic(),
        detail: 'A message is no text frame.',
      })
    else recorder.take(String(data))
  })
  socket.on('close', () => recorder.push({ kind: 'ended', atMs: options.clock.monotonic() }))
  return new Promise((resolve) => {
    const timer = options.clock.after(options.answerMs, () => socket.terminate())
    const end = (answer: WebSocket | undefined): void => {
      timer.clear()
      resolve(answer)
    }
    socket.once('open', () => end(socket))
    socket.on('error', () => end(undefined))
  })
}

/** Sends the request and resolves with the first message after it; undefined if none arrives in time. */
async function negotiate(
  request: JsonObject,
  socket: WebSocket | undefined,
  { recorder, answerMs }: { readonly recorder: Recorder; readonly answerMs: number },
): Promise<JsonObject | undefined> {
  if (socket === undefined) return undefined
  const start = recorder.items.length
  const find = (): JsonObject | undefined => {
    for (const item of recorder.items.slice(start)) if (item.kind === 'message') return item.message
    return undefined
  }
  socket.send(JSON.stringify(request))
  await recorder.until(
    (items) => find() !== undefined || items.slice(start).some(({ kind }) => kind === 'ended'),
    answerMs,
  )
  return find()
}
