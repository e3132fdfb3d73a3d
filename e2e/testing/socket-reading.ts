import { createJsonElementsDecoder } from '@sluice/protocol'
import { type RawData, WebSocket } from 'ws'
import { type Closing, type ReadFrame, type Reading, type ReadRequest, takeFrame } from './reading.ts'

const framesHead = '{"type":"frames","ref":"r","frames":'

/** Reads over a WebSocket with a single subscription. */
export function readSocket(request: ReadRequest, onFrame: (frame: ReadFrame) => void): Reading {
  const ws = new WebSocket(`${request.url.replace(/^http/, 'ws')}/v1/ws`, 'sluice.v1', {
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  })
  let isCut = false
  let isEnd = false
  let close: (closing: Closing) => void
  const closed = new Promise<Closing>((resolve) => {
    close = resolve
  })
  ws.on('open', () => {
    const { session, dialect, coalesce, after } = request
    ws.send(JSON.stringify({ type: 'subscribe', ref: 'r', session, dialect, coalesce, after }))
  })
  const opened = new Promise<void>((resolve, reject) => {
    const take = (text: string): void => {
      if (text.startsWith(framesHead)) {
        for (const frame of framesOf(text)) if (!isCut) onFrame(frame)
        return
      }
      const message = JSON.parse(text) as { readonly type: string } // the gateway's own, see docs/http-api.md
      if (message.type === 'subscribed') resolve()
      else if (message.type === 'end') {
        isEnd = true
        ws.close()
      } else if (message.type !== 'heartbeat') reject(new Error(`unexpected: ${text}`))
    }
    ws.on('message', (data: RawData) => {
      if (!isCut) take(String(data))
    })
    ws.on('error', reject)
    ws.on('close', (code) => {
      reject(new Error(`closed with ${code}`))
      const isClean = code !== 1006
      close({ how: isCut ? 'cut' : isEnd ? 'ended' : isClean ? 'clean' : 'reset', code })
    })
  })
  opened.catch(() => {}) // callers that need the error await it
  return {
    opened,
    closed,
    cut() {
      isCut = true
      ws.terminate()
    },
  }
}

function framesOf(message: string): readonly ReadFrame[] {
  const decoder = createJsonElementsDecoder({ maxElementBytes: 64 * 1024 * 1024 })
  const elements = decoder.push(Buffer.from(message.slice(framesHead.length, -1)))
  return elements.map((element) => {
    if (!element.ok) throw new Error(`not a frame: ${element.code}`)
    return takeFrame(element.text)
  })
}
