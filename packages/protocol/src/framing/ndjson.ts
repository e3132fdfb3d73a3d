import { defaultMaxFrameBytes, type FramedText, type FramingFault } from './framing-fault.ts'
import { createLineSplitter } from './line-splitter.ts'
import { toOneLine } from './one-line.ts'

export type NdjsonFault = FramingFault<'line_too_long' | 'invalid_utf8'>
export type NdjsonResult = FramedText | NdjsonFault

export type NdjsonDecoderOptions = {
  /** Bound on one line without its line end; a longer one is discarded as it arrives. Default 16 MiB. */
  readonly maxLineBytes?: number
}

export type NdjsonDecoder = {
  push(chunk: Uint8Array): NdjsonResult[]
  /** Delivers an unterminated last line. Do not push after it. */
  end(): NdjsonResult[]
}

/**
 * Frames newline-delimited JSON in any chunking. Skips lines of white space, but counts them. Never throws: a
 * line over the bound or not in UTF-8 is a fault, reported when the line ends, and the next line is
 * delivered.
 */
export function createNdjsonDecoder(options: NdjsonDecoderOptions = {}): NdjsonDecoder {
  let results: NdjsonResult[] = []
  const splitter = createLineSplitter({
    maxLineBytes: options.maxLineBytes ?? defaultMaxFrameBytes,
    loneCr: false,
    onLine(text, line) {
      if (!isBlank(text)) results.push({ ok: true, text, line })
    },
    onFault({ code, line, bytes }) {
      results.push({ ok: false, code, line, bytes })
    },
  })

  function take(): NdjsonResult[] {
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
      splitter.end()
      return take()
    },
  }
}

/** One JSON text as one line. */
export function encodeNdjson(json: string): string {
  return `${toOneLine(json)}\n`
}

function isBlank(text: string): boolean {
  return text.charCodeAt(0) > 0x20 ? false : !/[^ \t\r]/.test(text)
}
