import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { type Clock, type JsonValue, parseFrame, SluiceError, type Timer } from '@sluice/protocol'
import type Type from 'typebox'
import { Compile } from 'typebox/schema'

export interface BodyWait {
  readonly clock: Clock
  /** How long a body may stall before it is given up. */
  readonly idleMs: number
  /** Aborts when the gateway stops: what has arrived is still read, the rest is not waited for. */
  readonly draining: AbortSignal
}

/**
 * The chunks of a body as they arrive. Throws `request_timeout` when none arrives for `idleMs`,
 * `body_incomplete` when the body breaks off, `closed` when the gateway stops, and the reason of `interrupted`.
 */
export async function* readChunks(
  body: Readable,
  { clock, idleMs, draining }: BodyWait,
  interrupted: AbortSignal,
): AsyncGenerator<Buffer> {
  // Destroying a request also destroys its socket, and the error could not be sent.
  const chunks = body.iterator({ destroyOnReturn: false })
  let leftBytes: number | undefined
  for (;;) {
    interrupted.throwIfAborted()
    if (isCutOff(body) && body.readableLength === 0) throw toBrokenBody(undefined)
    if (draining.aborted && !isComplete(body)) leftBytes ??= body.readableLength
    if (leftBytes !== undefined && leftBytes <= 0) throw draining.reason
    const signals = draining.aborted ? [interrupted] : [interrupted, draining]
    const waited = untilSignal(chunks.next(), { clock, ms: idleMs, signals })
    const next = await waited.catch((error: unknown) => {
      throw error instanceof SluiceError ? error : toBrokenBody(error)
    })
    if (next.done === true) return
    const chunk = next.value as Buffer // no encoding is set on a request
    if (leftBytes !== undefined) leftBytes -= chunk.length
    yield chunk
  }
}

/** Whether the whole body has arrived, even if not all of it was read. */
function isComplete(body: Readable): boolean {
  return 'complete' in body && body.complete === true
}

/** Whether the client has closed its side of the connection in the middle of the body. */
function isCutOff(body: Readable): boolean {
  return body instanceof IncomingMessage && !body.complete && body.socket.readableEnded
}

function toBrokenBody(cause: unknown): SluiceError {
  return new SluiceError('body_incomplete', { cause })
}

interface Wait {
  readonly clock: Clock
  readonly ms: number
  readonly signals: readonly AbortSignal[]
}

/** Removes its listeners: an upload may consist of any number of chunks. */
function untilSignal<T>(promise: Promise<T>, { clock, ms, signals }: Wait): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new SluiceError('request_timeout')))
    const abort = (): void => reject(signals.find(({ aborted }) => aborted)?.reason)
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => {
      timer.clear()
      for (const signal of signals) signal.removeEventListener('abort', abort)
    })
  })
}

export interface BodyLimits extends BodyWait {
  readonly maxBytes: number
}

/**
 * The whole body. Throws `body_too_large`, `request_timeout`, `body_incomplete` when it breaks off, and `closed`
 * when the gateway stops before it has arrived.
 */
export function readBytes(
  body: Readable,
  { clock, idleMs, draining, maxBytes }: BodyLimits,
): Promise<Buffer> {
  // Uses events: an async iterator costs ten times as much, and most bodies are one chunk.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let timer: Timer | undefined
    const settle = (): void => {
      timer?.clear()
      draining.removeEventListener('abort', stop)
      body.off('data', take).off('end', end).off('error', fail).off('close', breakOff)
    }
    const fail = (error: unknown): void => {
      settle()
      body.pause()
      reject(error instanceof SluiceError ? error : toBrokenBody(error))
    }
    const stop = (): void => {
      if (!isComplete(body)) fail(draining.reason)
    }
    const watch = (): void => {
      timer?.clear()
      timer = clock.after(idleMs, () => fail(new SluiceError('request_timeout')))
    }
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > maxBytes) fail(new SluiceError('body_too_large', { details: { limit: maxBytes } }))
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
    draining.addEventListener('abort', stop, { once: true })
    body.on('data', take).on('end', end).on('error', fail).on('close', breakOff)
    if (isCutOff(body)) breakOff()
    else if (draining.aborted) stop()
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
