import { get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createNdjsonDecoder, createSseDecoder, omitUndefined } from '@sluice/protocol'
import {
  type Closing,
  type ReadFrame,
  type Reading,
  type ReadRequest,
  takeFrame,
  toQuery,
} from './reading.ts'

interface Framing {
  readonly accept: string
  readonly query: string
  /** Takes bytes; true once they contain the end of the session. */
  push(chunk: Buffer): boolean
  retryMs(): number | undefined
}

/** Reads server-sent events. */
export function readSse(request: ReadRequest, onFrame: (frame: ReadFrame) => void): Reading {
  let retryMs: number | undefined
  const decoder = createSseDecoder({
    onRetry: (ms) => {
      retryMs = ms
    },
  })
  return readHttp(
    request,
    (hand) => ({
      accept: 'text/event-stream',
      query: '',
      push(chunk) {
        let isEnd = false
        for (const message of decoder.push(chunk)) {
          if (!message.ok) throw new Error(`not an event: ${message.code}`)
          if (message.event === 'sluice.end') isEnd = true
          else if (message.event !== undefined)
            throw new Error(`unexpected: ${message.event} ${message.data}`)
          else if (message.id === undefined) throw new Error('a frame without its cursor')
          else hand({ cursor: message.id, text: message.data })
        }
        return isEnd
      },
      retryMs: () => retryMs,
    }),
    onFrame,
  )
}

/** Reads NDJSON with cursors. */
export function readNdjson(request: ReadRequest, onFrame: (frame: ReadFrame) => void): Reading {
  const decoder = createNdjsonDecoder()
  return readHttp(
    request,
    (hand) => ({
      accept: 'application/x-ndjson',
      query: '&cursors=true',
      push(chunk) {
        let isEnd = false
        for (const line of decoder.push(chunk)) {
          if (!line.ok) throw new Error(`not a line: ${line.code}`)
          if (/^\{"cursor":"[\d.]+","end":true\}$/.test(line.text)) isEnd = true
          else hand(takeFrame(line.text))
        }
        return isEnd
      },
      retryMs: () => undefined,
    }),
    onFrame,
  )
}

function readHttp(
  request: ReadRequest,
  createFraming: (hand: (frame: ReadFrame) => void) => Framing,
  onFrame: (frame: ReadFrame) => void,
): Reading {
  let isCut = false
  let isEnd = false
  let socket: Socket | undefined
  let close: (closing: Closing) => void
  const closed = new Promise<Closing>((resolve) => {
    close = resolve
  })
  const framing = createFraming((frame) => {
    if (!isCut) onFrame(frame)
  })
  const url = `${request.url}/v1/sessions/${request.session}/events?${toQuery(request)}${framing.query}`
  // A separate connection, so that a cut affects this reader alone.
  const asked = get(url, { agent: false, headers: { accept: framing.accept } })
  const broken = (): void => close({ how: isCut ? 'cut' : 'reset', ...retryOf(framing) })

  const listen = (response: IncomingMessage): void => {
    response.on('data', (chunk: Buffer) => {
      if (!isCut && framing.push(chunk)) isEnd = true
    })
    // A reader that was cut does not learn whether the response also ended.
    response.on('end', () =>
      close({ how: isCut ? 'cut' : isEnd || response.statusCode === 204 ? 'ended' : 'clean' }),
    )
    response.on('error', broken)
  }

  const opened = new Promise<void>((resolve, reject) => {
    asked.on('response', (response) => {
      listen(response)
      if (response.statusCode === 200 || response.statusCode === 204) resolve()
      else reject(new Error(`${response.statusCode} for ${url}`))
    })
    asked.on('error', (error) => {
      broken()
      reject(error)
    })
  })
  opened.catch(() => {}) // callers that need the error await it
  asked.on('socket', (taken) => {
    socket = taken
    if (isCut) taken.destroy()
  })
  return {
    opened,
    closed,
    cut() {
      isCut = true
      socket?.resetAndDestroy()
    },
  }
}

function retryOf(framing: Framing): { readonly retryMs?: number } {
  const retryMs = framing.retryMs()
  return omitUndefined({ retryMs })
}
