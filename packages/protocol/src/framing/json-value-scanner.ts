import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  cr,
  lf,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
} from './ascii.ts'

/** Finds the end of one JSON value in chunked bytes by its quotes and brackets alone, in constant memory. */
export type JsonValueScanner = {
  /** Starts a value with its first byte, which `scan` then receives too. */
  start(firstByte: number | undefined): void
  /** Reads on; returns the index after the value, or -1 if the chunk ends before the value does. */
  scan(chunk: Uint8Array, from: number): number
  /** Whether the value may end where the input ends: only numbers and literals have no closing character. */
  endsWithInput(): boolean
  /** The number of line feeds inside values so far. */
  lineFeeds(): number
}

export function createJsonValueScanner(): JsonValueScanner {
  let isBare = false
  let isInString = false
  let isEscaped = false
  let isFinished = false
  let depth = 0
  let lineFeeds = 0

  function scanBare(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) if (endsBareValue(chunk[at])) return at
    return -1
  }

  // Does not distinguish kinds of brackets: JSON.parse rejects `{]`; here it only has to end somewhere.
  function scanNested(chunk: Uint8Array, from: number): number {
    let level = depth
    for (let at = from; at < chunk.length; at++) {
      switch (chunk[at]) {
        case quote:
          isInString = true
          depth = level
          return at + 1
        case openBrace:
        case openBracket:
          level++
          break
        case closeBrace:
        case closeBracket:
          level--
          if (level === 0) return finish(at + 1)
          break
        case lf:
          lineFeeds++
      }
    }
    depth = level
    return chunk.length
  }

  function scanString(chunk: Uint8Array, from: number): number {
    let escaped = isEscaped
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === lf) lineFeeds++
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) {
        isInString = false
        isEscaped = false
        return depth === 0 ? finish(at + 1) : at + 1
      }
    }
    isEscaped = escaped
    return chunk.length
  }

  function finish(end: number): number {
    isFinished = true
    return end
  }

  return {
    start(firstByte) {
      isBare = firstByte !== quote && firstByte !== openBrace && firstByte !== openBracket
      isInString = false
      isEscaped = false
      isFinished = false
      depth = 0
    },
    scan(chunk, from) {
      if (isBare) return scanBare(chunk, from)
      let at = from
      while (at < chunk.length) {
        at = isInString ? scanString(chunk, at) : scanNested(chunk, at)
        if (isFinished) return at
      }
      return -1
    },
    endsWithInput: () => isBare,
    lineFeeds: () => lineFeeds,
  }
}

function endsBareValue(byte: number | undefined): boolean {
  switch (byte) {
    case space:
    case tab:
    case cr:
    case lf:
    case quote:
    case comma:
    case colon:
    case openBrace:
    case openBracket:
    case closeBrace:
    case closeBracket:
      return true
    default:
      return false
  }
}
