// The package has neither DOM nor Node types; these globals exist on every platform that it runs on.
declare const TextDecoder: new (
  label: 'utf-8',
  options: { fatal: true; ignoreBOM: true },
) => { decode(bytes: Uint8Array): string }
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array
  encodeInto(text: string, target: Uint8Array): { written: number }
}

/** Decodes whole pieces of UTF-8; `undefined` if the bytes are not valid. Keeps a BOM as U+FEFF. */
export type Utf8Decoder = (bytes: Uint8Array) => string | undefined

export function createUtf8Decoder(): Utf8Decoder {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      return undefined
    }
  }
}

/** Measures the length of a text in UTF-8. */
export type Utf8Meter = (text: string) => number

// For slices of a two-byte string, counting with charCodeAt is four times slower than encoding (Node 20).
export function createUtf8Meter(): Utf8Meter {
  const encoder = new TextEncoder()
  const scratch = new Uint8Array(4096)
  return (text) =>
    text.length * 3 <= scratch.length
      ? encoder.encodeInto(text, scratch).written
      : encoder.encode(text).length
}
