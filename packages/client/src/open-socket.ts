import { type Clock, type JsonObject, SluiceError } from '@sluice/protocol'
import type { Page } from './page.ts'
import { parseObject } from './parse-object.ts'
import { toUnreachable } from './problem.ts'
import { createPulse } from './pulse.ts'
import { toProtocols, type WebSocketConstructor } from './web-socket.ts'

export interface SocketOptions {
  readonly url: string
  readonly protocol: 'sluice.v1' | 'aaep.v1'
  readonly token: string | undefined
  readonly WebSocket: WebSocketConstructor
  readonly clock: Clock
  readonly page: Page
  readonly heartbeatMs: number
  /** What a peer answers that is silent by itself while it has nothing to say. */
  readonly probe?: JsonObject
  /** Takes a message of `size` characters. What it throws breaks the socket off. */
  onMessage(message: JsonObject, size: number): void
  /** Called once, when nothing more comes; `details.close` is the code with which the peer closed it. */
  onBroken(error: SluiceError): void
}

/** One WebSocket to a gateway, of JSON objects both ways. It does not come back. */
export interface GatewaySocket {
  /** Resolves when it is open; rejects with the failure when it breaks before. */
  readonly opened: Promise<void>
  send(message: JsonObject): void
  /** Breaks it off, with this failure for those who use it. */
  close(error: SluiceError): void
}

export function openSocket(options: SocketOptions): GatewaySocket {
  const { probe } = options
  const socket = new options.WebSocket(options.url, toProtocols(options.protocol, options.token))
  let isOpen = false
  let isBroken = false
  let settleOpened: (error?: SluiceError) => void = () => {}
  const opened = new Promise<void>((resolve, reject) => {
    settleOpened = (error) => (error === undefined ? resolve() : reject(error))
  })
  opened.catch(() => {}) // it may break when nobody waits any more
  const pulse = createPulse({
    ...options,
    ...(probe === undefined ? {} : { ask: () => send(probe) }),
    onDead: () => breakOff(new SluiceError('gateway_unreachable', { message: 'The gateway fell silent.' })),
  })

  function send(message: JsonObject): void {
    if (isOpen && !isBroken) socket.send(JSON.stringify(message))
  }

  function breakOff(error: SluiceError): void {
    if (isBroken) return
    isBroken = true
    pulse.stop()
    options.onBroken(error)
    settleOpened(error)
    socket.close()
  }

  function receive(data: unknown): void {
    if (typeof data !== 'string') throw new SluiceError('gateway_unreachable', { message: 'Bytes came.' })
    options.onMessage(parseObject(data), data.length)
  }

  socket.addEventListener('open', () => {
    if (isBroken) return
    isOpen = true
    pulse.heard()
    settleOpened()
  })
  socket.addEventListener('message', (event) => {
    if (isBroken) return
    pulse.heard()
    try {
      receive('data' in event ? event.data : undefined)
    } catch (error) {
      breakOff(toUnreachable(error))
    }
  })
  const onEnd = (event: object) => {
    const close = 'code' in event && typeof event.code === 'number' ? { close: event.code } : {}
    breakOff(new SluiceError('gateway_unreachable', { message: 'The WebSocket was closed.', details: close }))
  }
  socket.addEventListener('error', onEnd)
  socket.addEventListener('close', onEnd)

  return { opened, send, close: breakOff }
}
