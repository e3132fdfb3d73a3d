import { type Clock, type JsonObject, SluiceError } from '@sluice/protocol'
import type { Channel } from './channel.ts'
import type { Page } from './page.ts'
import { parseObject } from './parse-object.ts'
import { toUnreachable } from './problem.ts'
import { readMessage } from './socket-message.ts'
import { createWatchdog } from './watchdog.ts'
import { toProtocols, type WebSocketConstructor } from './web-socket.ts'

export interface SharedSocketOptions {
  readonly url: string
  readonly token: string | undefined
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
  /** Called once, before the subscriptions fail. */
  onBroken(): void
}

/** One WebSocket for many subscriptions. It does not come back: when it breaks, all of them fail. */
export interface SharedSocket {
  /** Resolves when it is open; rejects with `gateway_unreachable` when it breaks before. */
  readonly opened: Promise<void>
  /** Subscribes as `ref`; what comes for it goes to the channel. */
  subscribe(ref: string, channel: Channel, request: JsonObject): void
  unsubscribe(ref: string): void
  close(): void
}

export function openSharedSocket(options: SharedSocketOptions): SharedSocket {
  const channels = new Map<string, Channel>()
  const socket = new options.WebSocket(options.url, toProtocols(options.token))
  let failure: SluiceError | undefined
  let settleOpened: (error?: SluiceError) => void = () => {}
  const opened = new Promise<void>((resolve, reject) => {
    settleOpened = (error) => (error === undefined ? resolve() : reject(error))
  })
  opened.catch(() => {}) // it may break when nobody waits any more
  const watchdog = createWatchdog({
    ...options,
    onDead: () => breakOff(new SluiceError('gateway_unreachable', { message: 'The gateway fell silent.' })),
  })

  function breakOff(error: SluiceError): void {
    if (failure !== undefined) return
    failure = error
    watchdog.stop()
    options.onBroken()
    settleOpened(error)
    for (const channel of channels.values()) channel.fail(error)
    channels.clear()
    socket.close()
  }

  function receive(data: unknown): void {
    if (typeof data !== 'string') throw new SluiceError('gateway_unreachable', { message: 'Bytes came.' })
    for (const news of readMessage(parseObject(data))) {
      const channel = news.ref === undefined ? undefined : channels.get(news.ref)
      if (news.type === 'signals') {
        if (channel?.push(news.signals, data.length) === false) unsubscribe(news.ref)
        if (news.signals.at(-1)?.type === 'end') channels.delete(news.ref)
      } else if (news.ref !== undefined) {
        channel?.fail(news.error)
        channels.delete(news.ref)
        // The next handshake tells whether this passes, as an expired credential does.
      } else throw new SluiceError('gateway_unreachable', { cause: news.error })
    }
  }

  function unsubscribe(ref: string): void {
    if (channels.delete(ref)) socket.send(JSON.stringify({ type: 'unsubscribe', ref }))
  }

  socket.addEventListener('open', () => {
    if (failure !== undefined) return
    watchdog.listen()
    settleOpened()
  })
  socket.addEventListener('message', (event) => {
    if (failure !== undefined) return
    watchdog.listen()
    try {
      receive('data' in event ? event.data : undefined)
    } catch (error) {
      breakOff(toUnreachable(error))
    }
  })
  const broken = () =>
    breakOff(new SluiceError('gateway_unreachable', { message: 'The WebSocket was closed.' }))
  socket.addEventListener('error', broken)
  socket.addEventListener('close', broken)
  watchdog.listen()

  return {
    opened,
    subscribe(ref, channel, request) {
      if (failure !== undefined) {
        channel.fail(failure)
        return
      }
      channels.set(ref, channel)
      socket.send(JSON.stringify({ type: 'subscribe', ref, ...request }))
    },
    unsubscribe,
    close: () => breakOff(new SluiceError('closed', { message: 'The last subscription left.' })),
  }
}
