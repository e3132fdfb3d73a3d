import { colon } from './ascii.ts'
import { defaultMaxFrameBytes, type FramingFault } from './framing-fault.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { SseFrame } from './sse-encoder.ts'
import { createUtf8Meter } from './utf8.ts'

/** A dispatched event. `id` is set if the event itself carried one; `lastEventId` is the one in force. */
export type SseMessage = SseFrame & { readonly ok: true; readonly line: number; readonly lastEventId: string }
export type SseFault = FramingFault<'event_too_long' | 'invalid_utf8'>
export type SseResult = SseMessage | SseFault

export type SseDecoderOptions = {
  /** Bound on the field lines of one event; a longer event is discarded as it arrives. Default 16 MiB. */
  readonly maxEventBytes?: number
  /** Delivers an event whose blank line is missing at the end; the specification drops it. */
  readonly flushAtEnd?: boolean
  readonly onComment?: (text: string) => void
  /** Called for each valid `retry` field, even in a block without data. */
  readonly onRetry?: (retryMs: number) => void
}

export type SseDecoder = {
  push(chunk: Uint8Array): SseResult[]
  /** Do not push after it. */
  end(): SseResult[]
  /** The id to reconnect with; blocks without data and discarded events update it too. */
  lastEventId(): string
}

type Block = {
  data: string | undefined
  event: string | undefined
  id: string | undefined
  retry: number | undefined
  /** The first data line or, if there was none yet, the line at fault; 0 before either. */
  line: number
  bytes: number
  fault: SseFault['code'] | undefined
}

function emptyBlock(): Block {
  return {
    data: undefined,
    event: undefined,
    id: undefined,
    retry: undefined,
    line: 0,
    bytes: 0,
    fault: undefined,
  }
}

/**
 * Decodes an event stream in any chunking (WHATWG HTML §9.2.6). Never throws. Unlike the specification, it
 * does not put U+FFFD into an event that is not valid UTF-8: that event is a fault, as in the other framings.
 */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  const { maxEventBytes = defaultMaxFrameBytes, flushAtEnd = false, onComment, onRetry } = options
  const measure = createUtf8Meter()
  let results: SseResult[] = []
  let lastEventId = ''
  let block = emptyBlock()

  const splitter = createLineSplitter({
    maxLineBytes: maxEventBytes,
    loneCr: true,
    onLine(text, line, isAscii) {
      const nameEnd = text.indexOf(':')
      const field = nameEnd === -1 ? text : text.slice(0, nameEnd)
      const value = nameEnd === -1 ? '' : text.slice(text[nameEnd + 1] === ' ' ? nameEnd + 2 : nameEnd + 1)
      if (text === '') dispatch()
      else if (nameEnd === 0) onComment?.(value)
      else if (field === 'retry') takeRetry(value)
      else if (field === 'data' || field === 'event' || field === 'id') {
        block.bytes += isAscii ? text.length : measure(text)
        if (block.bytes > maxEventBytes) fail('event_too_long', line)
        takeField(field, value, line)
      }
    },
    onFault({ code, line, bytes, firstByte }) {
      if (firstByte === colon) return // A comment, whatever it contains, invalidates no event.
      block.bytes += bytes
      fail(code === 'line_too_long' ? 'event_too_long' : code, line)
    },
  })

  function takeField(field: 'data' | 'event' | 'id', value: string, line: number): void {
    if (field === 'data') {
      if (block.line === 0) block.line = line
      if (block.fault === undefined) block.data = block.data === undefined ? value : `${block.data}\n${value}`
    } else if (field === 'event') block.event = value
    else if (!value.includes('\0')) block.id = value
  }

  function takeRetry(value: string): void {
    if (!/^[0-9]+$/.test(value) || !Number.isSafeInteger(Number(value))) return
    block.retry = Number(value)
    onRetry?.(block.retry)
  }

  function fail(code: SseFault['code'], line: number): void {
    block.fault ??= code
    block.data = undefined
    if (block.line === 0) block.line = line
  }

  function dispatch(): void {
    const { data, event, id, retry, line, bytes, fault } = block
    block = emptyBlock()
    // An id counts without data and with a fault; otherwise a reconnect would fetch the same event forever.
    if (id !== undefined) lastEventId = id
    if (fault !== undefined) results.push({ ok: false, code: fault, line, bytes })
    else if (data !== undefined) {
      results.push({
        ok: true,
        data,
        ...(event ? { event } : undefined),
        ...(id === undefined ? undefined : { id }),
        ...(retry === undefined ? undefined : { retry }),
        line,
        lastEventId,
      })
    }
  }

  function take(): SseResult[] {
    const taken = results
    results = []
    return taken
  }

  return {
    push(chunk) {
      splitter.push(chunk)
      return take()
    },
    end() {
      if (flushAtEnd) {
        splitter.end()
        dispatch()
      }
      return take()
    },
    lastEventId: () => lastEventId,
  }
}
