import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { type JsonValue, parseFrame, SluiceError } from '@sluice/protocol'
import type Type from 'typebox'
import { Compile } from 'typebox/schema'
import type { ArrivingBody, BodyWatch } from './body-watch.ts'

/** A body that is being read. */
export interface BodyReading {
  /**
   * Resolves at the end of the body. Rejects with `request_timeout` when it stalls, `body_incomplete` when it breaks
   * off, `closed` when the gateway stops, what `take` throws, and what `fail()` is given.
   */
  readonly done: Promise<void>
  /** Gives the body up; the rest of it stays unread. */
  fail(error: unknown): void
}

/**
 * Passes the chunks of a body to `take` as they arrive; no further one until the promise that it may return resolves.
 * When the gateway stops, what has arrived is still read.
 */
export function readBody(
  body: Readable,
  watch: BodyWatch,
  take: (chunk: Buffer) => Promise<void> | undefined,
): BodyReading {
  const { clock, draining } = watch
  let isSettled = false
  /** How much has arrived, once the rest is no longer waited for. */
  let leftBytes: number | undefined
  let finish: { resolve(): void; reject(error: unknown): void }
  const done = new Promise<void>((resolve, reject) => {
    finish = { resolve, reject }
  })

  const settle = (): void => {
    isSettled = true
    leave()
    body.off('data', onData).off('end', onEnd).off('error', fail).off('close', breakOff)
  }
  const fail = (error: unknown): void => {
    if (isSettled) return
    settle()
    body.pause()
    finish.reject(error instanceof SluiceError ? error : toBrokenBody(error))
  }
  const breakOff = (): void => fail(undefined)
  const onEnd = (): void => {
    settle()
    finish.resolve()
  }
  /** Whether more can arrive. If not, the body is given up. */
  const assertMore = (): void => {
    if (leftBytes !== undefined && leftBytes <= 0) fail(draining.reason)
    else if (isCutOff(body) && body.readableLength === 0) breakOff()
  }
  const stop = (): void => {
    if (isComplete(body)) return
    leftBytes = body.readableLength
    // A chunk that is being taken has arrived, too.
    if (watched.waitingSince !== undefined) assertMore()
  }
  const resume = (): void => {
    if (isSettled) return
    watched.waitingSince = clock.monotonic()
    assertMore()
    if (!isSettled) body.resume()
  }
  const onData = (chunk: Buffer): void => {
    if (leftBytes !== undefined) leftBytes -= chunk.length
    let taken: Promise<void> | undefined
    try {
      taken = take(chunk)
    } catch (error) {
      fail(error)
      return
    }
    if (isSettled) return
    if (taken === undefined) {
      watched.waitingSince = clock.monotonic()
      assertMore()
    } else {
      watched.waitingSince = undefined
      body.pause()
      taken.then(resume, fail)
    }
  }
  const watched: ArrivingBody = { waitingSince: clock.monotonic(), fail, stop }
  const leave = watch.enter(watched)
  // Events: an async iterator costs ten times as much, and most bodies are one chunk.
  body.on('data', onData).on('end', onEnd).on('error', fail).on('close', breakOff)
  // A client may have left before its request was judged; then no event follows.
  if (body.destroyed || (isCutOff(body) && body.readableLength === 0)) breakOff()
  else if (draining.aborted) stop()
  return { done, fail }
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

/** The whole body. Rejects with `body_too_large`, and as `readBody()` does. */
export async function readBytes(body: Readable, watch: BodyWatch, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  await readBody(body, watch, (chunk) => {
    bytes += chunk.length
    if (bytes > maxBytes) throw new SluiceError('body_too_large', { details: { limit: maxBytes } })
    chunks.push(chunk)
    return undefined
  }).done
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes)
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
