import { type Clock, type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'
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
  /** A message that the peer answers, for a peer that otherwise sends nothing while it is idle. */
  readonly probe?: JsonObject
  /** Handles a message of `size` characters. An error that it throws breaks the socket. */
  onMessage(message: JsonObject, size: number): void
  /** Called once, when the socket has closed or broken; `details.close` is the peer's close code. */
  onBroken(error: SluiceError): void
}

/** One WebSocket to a gateway, with JSON objects both ways. It does not reconnect. */
export interface GatewaySocket {
  /** Resolves when it is open; rejects with the failure if it breaks first. */
  readonly opened: Promise<void>
  send(message: JsonObject): void
  /** Closes it. Its users get this failure. */
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
  opened.catch(() => {}) // it may reject when nobody waits for it
  const pulse = createPulse({
    ...options,
    ...omitUndefined({ ask: probe === undefined ? undefined : () => send(probe) }),
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
