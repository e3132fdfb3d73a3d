import { createNdjsonDecoder, encodeNdjson } from '@sluice/protocol'

/** How a Unix socket separates messages: one per line, or each preceded by its length. */
export type Framing = 'lines' | 'prefixed'

/** A message (undefined when it is not valid text), or the reason why nothing else can be read. */
export type Received =
  | { readonly type: 'message'; readonly text: string | undefined }
  | { readonly type: 'broken'; readonly reason: string }

/** Splits the bytes of a client into messages. The first byte determines the framing. */
export interface MessageReader {
  push(bytes: Uint8Array): readonly Received[]
  /** Undefined until the first byte arrives. */
  readonly framing: Framing | undefined
}

type Cut = (bytes: Uint8Array) => readonly Received[]

const prefixBytes = 4
const lineStarts: ReadonlySet<number> = new Set(Buffer.from('{ \t\r\n'))
const tooLarge: Received = { type: 'broken', reason: 'The message is too large.' }
const unreadable: Received = {
  type: 'broken',
  reason: 'The bytes are neither lines nor messages behind their length.',
}

export function createMessageReader(maxBytes: number): MessageReader {
  let framing: Framing | undefined
  let cut: Cut | undefined
  let isBroken = false

  const begin = (first: number): Cut => {
    // The length of a message within the limit starts with a zero byte.
    framing = first === 0 ? 'prefixed' : lineStarts.has(first) ? 'lines' : undefined
    if (framing === undefined) return () => [unreadable]
    return framing === 'lines' ? createLineCut(maxBytes) : createPrefixedCut(maxBytes)
  }

  return {
    push(bytes) {
      const [first] = bytes
      if (isBroken || first === undefined) return []
      cut ??= begin(first)
      const received = cut(bytes)
      const end = received.findIndex(({ type }) => type === 'broken')
      isBroken = end >= 0
      return isBroken ? received.slice(0, end + 1) : received
    },
    get framing() {
      return framing
    },
  }
}

function createLineCut(maxLineBytes: number): Cut {
  const decoder = createNdjsonDecoder({ maxLineBytes })
  return (bytes) =>
    decoder.push(bytes).map((result) => {
      if (result.ok) return { type: 'message', text: result.text }
      return result.code === 'line_too_long' ? tooLarge : { type: 'message', text: undefined }
    })
}

function createPrefixedCut(maxBytes: number): Cut {
  const held: Uint8Array[] = []
  let heldBytes = 0
  /** The length of the current message; undefined until its prefix has arrived. */
  let neededBytes: number | undefined

  /**
   * Called only once enough bytes have arrived, so that many small pieces of a message are not copied
   * repeatedly.
   */
  const take = (count: number): Buffer => {
    const all = Buffer.concat(held, heldBytes)
    held.length = 0
    held.push(all.subarray(count))
    heldBytes -= count
    return all.subarray(0, count)
  }

  return (bytes) => {
    const received: Received[] = []
    held.push(bytes)
    heldBytes += bytes.length
    for (;;) {
      if (heldBytes < (neededBytes ?? prefixBytes)) return received
      if (neededBytes === undefined) {
        neededBytes = take(prefixBytes).readUInt32BE(0)
        if (neededBytes > maxBytes) return [...received, tooLarge]
      } else {
        const text = decode(take(neededBytes))
        neededBytes = undefined
        if (text !== '') received.push({ type: 'message', text })
      }
    }
  }
}

/** Encodes a message for the wire. */
export function frameMessage(text: string, framing: Framing): Buffer {
  if (framing === 'lines') return Buffer.from(encodeNdjson(text))
  const body = Buffer.from(text)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(body.length)
  return Buffer.concat([prefix, body])
}

/** Undefined when the bytes are not valid UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
