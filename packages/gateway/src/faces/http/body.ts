import type { Readable } from 'node:stream'
import { type Clock, type JsonValue, parseFrame, SluiceError, type Timer } from '@sluice/protocol'
import type Type from 'typebox'
import { Compile } from 'typebox/schema'

export interface BodyLimits {
  readonly maxBytes: number
  /** A body that stands still for so long is given up. */
  readonly idleMs: number
}

/** The chunks of a body, while they keep coming. Throws `request_timeout`; ends with an error when the sender is cut off. */
export async function* readChunks(body: Readable, clock: Clock, idleMs: number): AsyncGenerator<Buffer> {
  // Destroying a request destroys its socket, and nobody could be told why.
  const chunks = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const next = await within(chunks.next(), clock, idleMs).catch(toBodyError)
    if (next.done === true) return
    yield next.value as Buffer // no encoding is set on a request
  }
}

function toBodyError(error: unknown): never {
  throw error instanceof SluiceError ? error : toBrokenBody(error)
}

function toBrokenBody(error: unknown): SluiceError {
  return new SluiceError('bad_request', { message: 'The body broke off.', cause: error })
}

function within<T>(promise: Promise<T>, clock: Clock, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new SluiceError('request_timeout')))
    promise.then(resolve, reject).finally(() => timer.clear())
  })
}

/** A whole body. Throws `body_too_large` and `request_timeout`. */
export function readBytes(body: Readable, clock: Clock, limits: BodyLimits): Promise<Buffer> {
  // By events: an async iterator costs ten times as much, and most bodies are one chunk.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let timer: Timer | undefined
    const settle = (): void => {
      timer?.clear()
      body.off('data', take).off('end', end).off('error', fail).off('close', breakOff)
    }
    const fail = (error: unknown): void => {
      settle()
      body.pause()
      reject(error instanceof SluiceError ? error : toBrokenBody(error))
    }
    const watch = (): void => {
      timer?.clear()
      timer = clock.after(limits.idleMs, () => fail(new SluiceError('request_timeout')))
    }
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limits.maxBytes)
        fail(new SluiceError('body_too_large', { details: { limit: limits.maxBytes } }))
      else {
        chunks.push(chunk)
        watch()
      }
    }
    const end = (): void => {
      settle()
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes))
    }
    const breakOff = (): void => fail(undefined)
    watch()
    body.on('data', take).on('end', end).on('error', fail).on('close', breakOff)
  })
}

/** Reads JSON of a known form, or throws `bad_request` with the place that is wrong. */
export function createBodyReader<Schema extends Type.TSchema>(
  schema: Schema,
): (body: unknown) => Type.Static<Schema> {
  const validator = Compile(schema)
  return (body) => {
    const text = Buffer.isBuffer(body) ? toText(body) : ''
    // No body at all counts as an empty object: every field may be optional.
    const value = text.trim() === '' ? {} : parseJson(text)
    if (validator.Check(value)) return value as Type.Static<Schema> // just checked
    const [, errors] = validator.Errors(value)
    const [first] = errors
    throw new SluiceError('bad_request', {
      message: `The body is not of the form that is asked for: ${first?.message ?? 'it does not fit'}.`,
      details: { path: first?.instancePath ?? '' },
    })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Throws `bad_request` when it is not UTF-8. */
export function toText(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch (error) {
    throw new SluiceError('bad_request', { message: 'The body is not UTF-8.', cause: error })
  }
}

function parseJson(text: string): JsonValue {
  const parsed = parseFrame(text)
  if (parsed.ok) return parsed.frame.value
  throw new SluiceError('bad_request', { message: parsed.finding.message, details: { path: '' } })
}
