import { createHash } from 'node:crypto'
import { encodeSse } from '@sluice/protocol'
import { expect } from 'vitest'
import { endSession } from '../testing/publish.ts'
import type { TransportName } from '../testing/transports.ts'

/** The session to fill, and the dialect in which it is written and read. */
export const fullSession = { session: 'sess_full', dialect: 'stream-event' } as const

const requestBytes = 1024 * 1024

/** Event `n`: of an unknown type, so that the session's state keeps nothing of it. */
function textOf(n: number, bytes: number): string {
  return `{"type":"blob","data":{"n":${n},"fill":"${String(n % 10).repeat(bytes)}"}}`
}

/** Creates the session before its first event, so that it can be read. */
export async function createFullSession(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ id: fullSession.session })
  const response = await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
}

/**
 * Writes `totalBytes` as events of one size and ends the session. Returns the digest of what a reader over
 * each transport must receive: the body of a stream, or the frames of a WebSocket joined with commas.
 */
export async function writeFullSession(
  url: string,
  totalBytes: number,
  eventBytes: number,
): Promise<Readonly<Record<TransportName, string>>> {
  const { session, dialect } = fullSession
  const hashes = { sse: createHash('sha256'), ndjson: createHash('sha256'), ws: createHash('sha256') }
  const note = (text: string, n: number): void => {
    hashes.sse.update(encodeSse({ data: text, id: String(n) }))
    hashes.ndjson.update(`${text}\n`)
    hashes.ws.update(`${n === 0 ? '' : ','}{"cursor":"${n}","frame":${text}}`)
  }
  const count = Math.ceil(totalBytes / eventBytes)
  for (let n = 0; n < count; ) {
    const lines: string[] = []
    for (; n < count && (lines.length === 0 || (lines.length + 1) * eventBytes <= requestBytes); n += 1) {
      lines.push(textOf(n, eventBytes))
      note(lines.at(-1) ?? '', n)
    }
    const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    })
    expect(await response.json()).toMatchObject({ accepted: lines.length, refused: [] })
  }
  await endSession(url, session)
  note(await readFrame(url, count), count)
  hashes.sse.update(
    encodeSse({ event: 'sluice.end', id: String(count), data: JSON.stringify({ outcome: 'completed' }) }),
  )
  return {
    sse: hashes.sse.digest('hex'),
    ndjson: hashes.ndjson.digest('hex'),
    ws: hashes.ws.digest('hex'),
  }
}

/** Entry `seq` in the dialect of the session. */
async function readFrame(url: string, seq: number): Promise<string> {
  const { session, dialect } = fullSession
  const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}&after=${seq - 1}`)
  const { frames } = (await response.json()) as { readonly frames: readonly { readonly frame: unknown }[] } // a page
  return JSON.stringify(frames[0]?.frame)
}
