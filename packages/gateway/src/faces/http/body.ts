import type { Readable } from 'node:stream'
import { type Clock, type JsonValue, parseFrame, SluiceError, type Timer } from '@sluice/protocol'
import type Type from 'typebox'
import { Compile } from 'typebox/schema'

export interface BodyLimits {
  readonly maxBytes: number
  /** How long a body may stall before it is given up. */
  readonly idleMs: number
}

/**
 * The chunks of a body as they arrive. Throws `request_timeout` when none arrives for `idleMs`, and
 * `bad_request` when the body breaks off.
 */
export async function* readChunks(body: Readable, clock: Clock, idleMs: number): AsyncGenerator<Buffer> {
  // Destroying a request also destroys its socket, and the error could not be sent.
  const chunks = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const next = await within(chunks.next(), clock, idleMs).catch(toBodyError)
    if (next.done === true) return
    yield next.value as Buffer // chunks are buffers: no encoding is set on a request
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

/** The whole body. Throws `body_too_large`, `request_timeout`, and `bad_request` when it breaks off. */
export function readBytes(body: Readable, clock: Clock, limits: BodyLimits): Promise<Buffer> {
  // Uses events: an async iterator costs ten times as much, and most bodies are one chunk.
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

/** A reader for JSON bodies of this schema; it throws `bad_request` with the faulty place. */
export function createBodyReader<Schema extends Type.TSchema>(
  schema: Schema,
): (body: unknown) => Type.Static<Schema> {
  const validator = Compile(schema)
  return (body) => {
    const text = Buffer.isBuffer(body) ? toText(body) : ''
    // A missing body counts as an empty object: every field may be optional.
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
