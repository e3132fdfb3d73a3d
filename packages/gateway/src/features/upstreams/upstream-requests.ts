import { readFile } from 'node:fs/promises'
import { isJsonObject, type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'
import { type GuardedStream, guardedFetch, guardedStream } from '../../access/guarded-fetch.ts'
import type { UpstreamConfig } from '../../config/config.ts'

export interface Posted {
  readonly status: number
  /** Empty when the answer is not a JSON object. */
  readonly answer: JsonObject
}

/**
 * The requests to a remote producer: guarded, and with its credential. They reject as guardedFetch() does.
 */
export interface UpstreamRequests {
  post(path: string, message: JsonObject): Promise<Posted>
  /** Opens an event stream after this event. */
  read(path: string, lastEventId: string | undefined): Promise<GuardedStream>
}

const timeoutMs = 15_000

/** Every request is given up when `stopping` aborts. */
export function createUpstreamRequests(config: UpstreamConfig, stopping: AbortSignal): UpstreamRequests {
  const base = config.url.replace(/(?<!\/)\/+$/, '')
  const allowPrivate = config.allowPrivate ?? false

  const authorization = async (): Promise<Readonly<Record<string, string>>> => {
    const token = config.tokenFile === undefined ? config.token : await readToken(config.tokenFile)
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  return {
    async post(path, message) {
      const headers = {
        ...(await authorization()),
        'content-type': 'application/json',
        accept: 'application/json',
      }
      const options = { allowPrivate, timeoutMs, headers, post: JSON.stringify(message), signal: stopping }
      const { status, body } = await guardedFetch(base + path, options)
      return { status, answer: readObject(body) }
    },
    async read(path, lastEventId) {
      const headers = {
        ...(await authorization()),
        accept: 'text/event-stream',
        'cache-control': 'no-cache',
        ...omitUndefined({ 'last-event-id': lastEventId }),
      }
      return guardedStream(base + path, { allowPrivate, timeoutMs, headers }, stopping)
    },
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    throw new SluiceError('bad_config', { message: 'The file with the credential cannot be read.', cause })
  }
}

function readObject(body: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return isJsonObject(value as JsonObject) ? (value as JsonObject) : {} // just checked
  } catch {
    return {}
  }
}
