import { SluiceError } from '@sluice/protocol'

export const mediaTypes = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
} as const

export type MediaName = keyof typeof mediaTypes

interface Accepted {
  readonly type: string
  readonly quality: number
  /** How exactly it matches a type: 2 in full, 1 by its main type, 0 for anything. */
  readonly precision: number
}

/**
 * The one of `offered` that the client's Accept header prefers; the first of them by default. Throws
 * `not_acceptable`.
 */
export function negotiate(accept: string | undefined, offered: readonly MediaName[]): MediaName {
  const [fallback] = offered
  if (fallback === undefined) throw new SluiceError('not_acceptable')
  if (accept === undefined || accept.trim() === '') return fallback
  const accepted = parseAccept(accept)
  let best: { readonly name: MediaName; readonly quality: number } | undefined
  for (const name of offered) {
    const quality = qualityOf(mediaTypes[name], accepted)
    if (quality > 0 && (best === undefined || quality > best.quality)) best = { name, quality }
  }
  if (best === undefined)
    throw new SluiceError('not_acceptable', {
      details: { offered: offered.map((name) => mediaTypes[name]) },
    })
  return best.name
}

/** Whether the client accepts an answer in this encoding. */
export function acceptsEncoding(header: string | undefined, encoding: 'gzip' | 'br'): boolean {
  const accepted = parseAccept(header ?? '')
  const named = accepted.find(({ type }) => type === encoding) ?? accepted.find(({ type }) => type === '*')
  return named !== undefined && named.quality > 0
}

function parseAccept(header: string): readonly Accepted[] {
  return header.split(',').map((item) => {
    const [type = '', ...parameters] = item
      .toLowerCase()
      .split(';')
      .map((part) => part.trim())
    const weight = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
    const precision = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2
    return { type, quality: weight === undefined ? 1 : Number(weight), precision }
  })
}

/** RFC 9110 §12.5.1: the most precise range that matches decides. */
function qualityOf(type: string, accepted: readonly Accepted[]): number {
  const main = `${type.split('/')[0]}/*`
  const fitting = accepted.filter((range) => [type, main, '*/*'].includes(range.type))
  const best = fitting.reduce<Accepted | undefined>(
    (found, range) => (found === undefined || range.precision > found.precision ? range : found),
    undefined,
  )
  return best?.quality ?? 0
}
