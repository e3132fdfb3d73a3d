import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addKey } from '@sluice/gateway/admin'
import { omitUndefined } from '@sluice/protocol'
import type { GatewayProcess } from '../testing/gateway-process.ts'
import type { SeenFrame } from './stock-reader.ts'

/** Posts JSON and returns the JSON of the response; throws if the request is refused. */
export async function post(
  url: string,
  path: string,
  { body, key }: { readonly body: object; readonly key?: string | undefined },
): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: omitUndefined({
      'content-type': 'application/json',
      authorization: key === undefined ? undefined : `Bearer ${key}`,
    }),
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} to ${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** All frames of a session in the dialect `sluice`, read in one response. */
export async function readAll(url: string, session: string): Promise<readonly SeenFrame[]> {
  const response = await fetch(`${url}/v1/sessions/${session}/events?cursors=true&live=false`, {
    headers: { accept: 'application/x-ndjson' },
  })
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('{'))
  return lines.flatMap((line) => {
    const [, id, data] = /^\{"cursor":"([^"]*)","frame":(.*)\}$/s.exec(line) ?? []
    return id === undefined || data === undefined ? [] : [{ id, data }]
  })
}

/** Adds an API key to a running gateway; `expire` makes it expire. */
export function addExpiringKey({ data }: GatewayProcess): { readonly key: string; expire: () => void } {
  const path = join(data, 'keys.json')
  const now = Date.now()
  const expiresAt = now + 3_600_000
  const { key } = addKey(path, { subject: 'parent', grants: ['subscribe:*'], createdAt: now, expiresAt })
  const expire = (): void => {
    const past = new Date(now - 1000).toISOString()
    writeFileSync(path, readFileSync(path, 'utf8').replace(new Date(expiresAt).toISOString(), past))
  }
  return { key, expire }
}
