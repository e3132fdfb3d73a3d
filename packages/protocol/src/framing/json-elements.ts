import { closeBrace, closeBracket, colon, comma, cr, lf, openBracket, space, tab } from './ascii.ts'
import { createBomFilter } from './bom-filter.ts'
import { createByteBuffer } from './byte-buffer.ts'
import { defaultMaxFrameBytes, type FramedText, type FramingFault } from './framing-fault.ts'
import { createJsonValueScanner } from './json-value-scanner.ts'
import { createUtf8Decoder } from './utf8.ts'

export type JsonElementsFault = FramingFault<
  | 'element_too_long'
  | 'element_not_closed'
  | 'array_not_closed'
  | 'missing_comma'
  | 'trailing_comma'
  | 'text_after_array'
  | 'unexpected_text'
  | 'invalid_utf8'
>
export type JsonElementsResult = FramedText | JsonElementsFault

export type JsonElementsDecoderOptions = {
  /** Bound on one element; a longer one is discarded as it arrives. Default 16 MiB. */
  readonly maxElementBytes?: number
}

export type JsonElementsDecoder = {
  push(chunk: Uint8Array): JsonElementsResult[]
  /** Delivers a last number or literal and reports anything left open. Do not push after it. */
  end(): JsonElementsResult[]
}

type Place = 'start' | 'sequence' | 'array-start' | 'after-comma' | 'after-element' | 'after-array'

/**
 * Frames the elements of a top-level JSON array or, if the input does not begin with `[`, a sequence of JSON
 * values with or without white space between them, each as its exact source text. Finds where values end but
 * does not check them: JSON.parse does. Never throws; an element in the wrong place is delivered after its
 * fault. Several arrays in a row are read as one.
 */
export function createJsonElementsDecoder(options: JsonElementsDecoderOptions = {}): JsonElementsDecoder {
  const maxElementBytes = options.maxElementBytes ?? defaultMaxFrameBytes
  const decode = createUtf8Decoder()
  const bom = createBomFilter()
  const held = createByteBuffer(maxElementBytes)
  const value = createJsonValueScanner()
  let results: JsonElementsResult[] = []
  let place: Place = 'start'
  let lineFeedsBetween = 0
  let isInValue = false
  let valueLine = 0
  let arrayLine = 0
  let straySince = 0
  let strayBytes = 0

  const line = () => 1 + lineFeedsBetween + value.lineFeeds()

  function fault(code: JsonElementsFault['code'], atLine: number, bytes: number): void {
    results.push({ ok: false, code, line: atLine, bytes })
  }

  // Adjacent stray bytes are one fault; otherwise a megabyte of `]` would be a million of them.
  function addStray(): void {
    if (strayBytes === 0) straySince = line()
    strayBytes++
  }

  function flushStray(): void {
    if (strayBytes > 0) fault('unexpected_text', straySince, strayBytes)
    strayBytes = 0
  }

  function startValue(firstByte: number | undefined): void {
    flushStray()
    if (place === 'after-element') fault('missing_comma', line(), 0)
    if (place === 'after-array') fault('text_after_array', line(), 0)
    isInValue = true
    valueLine = line()
    value.start(firstByte)
  }

  function finishValue(bytes: Uint8Array, length: number): void {
    isInValue = false
    if (place === 'start') place = 'sequence'
    if (place === 'array-start' || place === 'after-comma') place = 'after-element'
    const isTooLong = length > maxElementBytes
    const text = isTooLong ? undefined : decode(bytes)
    if (text !== undefined) results.push({ ok: true, text, line: valueLine })
    else fault(isTooLong ? 'element_too_long' : 'invalid_utf8', valueLine, length)
  }

  function finishHeld(): void {
    finishValue(held.view(), held.length)
    held.clear()
  }

  function openArray(): void {
    flushStray()
    place = 'array-start'
    arrayLine = line()
  }

  function closeArray(): void {
    flushStray()
    if (place === 'after-comma') fault('trailing_comma', line(), 1)
    place = 'after-array'
  }

  function scanBetween(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]
      switch (byte) {
        case space:
        case tab:
        case cr:
          break
        case lf:
          lineFeedsBetween++
          break
        case openBracket:
          if (place !== 'start' && place !== 'after-array') {
            startValue(byte)
            return at
          }
          openArray()
          break
        case closeBracket:
          if (isInArray()) closeArray()
          else addStray()
          break
        case comma:
          if (place === 'after-element') {
            flushStray()
            place = 'after-comma'
          } else addStray()
          break
        case colon:
        case closeBrace:
          addStray()
          break
        default:
          startValue(byte)
          return at
      }
    }
    return chunk.length
  }

  function isInArray(): boolean {
    return place === 'array-start' || place === 'after-comma' || place === 'after-element'
  }

  function scan(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) {
      if (!isInValue) at = scanBetween(chunk, at)
      if (!isInValue) return
      const end = value.scan(chunk, at)
      if (end === -1) {
        held.append(chunk.subarray(at))
        return
      }
      if (held.length > 0) {
        held.append(chunk.subarray(at, end))
        finishHeld()
      } else finishValue(chunk.subarray(at, end), end - at)
      at = end
    }
  }

  function take(): JsonElementsResult[] {
    const taken = results
    results = []
    return taken
  }

  return {
    push(chunk) {
      scan(bom.push(chunk))
      return take()
    },
    end() {
      scan(bom.end())
      flushStray()
      if (isInValue && value.endsWithInput()) finishHeld()
      else if (isInValue) fault('element_not_closed', valueLine, held.length)
      if (isInArray()) fault('array_not_closed', arrayLine, 0)
      return take()
    },
  }
}
