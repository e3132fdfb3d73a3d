import type { JsonObject } from '@sluice/protocol'
import { parseObject } from '../parse-object.ts'
import type { ConnectOptions } from './subscription.ts'

/** The answer of a producer. */
export interface Answer {
  /** 0 when there was no answer in time. */
  readonly status: number
  /** The media type. */
  readonly type: string
  readonly body: string
}

export function authorize({ token }: Pick<ConnectOptions, 'token'>): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Posts JSON to the producer. */
export async function post(
  options: ConnectOptions,
  url: string,
  message: JsonObject,
): Promise<Answer & { readonly json?: JsonObject }> {
  const answer = await request(options, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorize(options) },
    body: JSON.stringify(message),
  })
  const json = parseObject(answer.body)
  return { ...answer, ...(json && { json }) }
}

/** Fetches a URL; sends the token only to the origin of the producer. */
export function get(options: ConnectOptions, url: string, accept: string): Promise<Answer> {
  const own = isSameOrigin(url, options.url) ? authorize(options) : {}
  return request(options, url, { headers: { accept, ...own } })
}

export function isSameOrigin(uri: string, url: string): boolean {
  return URL.canParse(uri) && new URL(uri).origin === new URL(url).origin
}

async function request({ clock, answerMs }: ConnectOptions, url: string, init: RequestInit): Promise<Answer> {
  const controller = new AbortController()
  const timer = clock.after(answerMs, () => controller.abort())
  try {
    const response = await fetch(url, { ...init, signal: controller.signal })
    const body = await response.text()
    return { status: response.status, type: response.headers.get('content-type') ?? '', body }
  } catch {
    return { status: 0, type: '', body: '' }
  } finally {
    timer.clear()
  }
}
