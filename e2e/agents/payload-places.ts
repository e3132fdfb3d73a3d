import { readFileSync } from 'node:fs'

/** A row of a dialect's page under "Where payloads may go". */
export type Payload = 'the request' | 'tool arguments' | 'tool results'

/** The pointers at which `needle` occurs in `value`, or in a key; list indexes are `*`. */
export function placesOf(value: unknown, needle: string, at = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(needle) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.includes(needle) ? [`${at} as a key`] : []),
    ...placesOf(inner, needle, `${at}/${Array.isArray(value) ? '*' : key}`),
  ])
}

/** The pointers that a dialect's page allows for a payload. A pointer also allows everything under it. */
export function allowedPlaces(dialect: string, payload: Payload): readonly string[] {
  const page = readFileSync(new URL(`../../docs/dialects/${dialect}.md`, import.meta.url), 'utf8')
  const section = page.split(/^## Where payloads may go$/m)[1]?.split(/^## /m)[0] ?? ''
  const row = section.split('\n').find((line) => line.toLowerCase().startsWith(`| ${payload} |`))
  if (row === undefined) throw new Error(`the page of ${dialect} says nothing of ${payload}`)
  const [, , places = ''] = row.split('|')
  return [...places.matchAll(/`(\/[^`]*)`/g)].map((match) => match[1] ?? '')
}

/** The places that no pointer allows. */
export function outside(places: readonly string[], pointers: readonly string[]): readonly string[] {
  const isIn = (place: string): boolean =>
    pointers.some((pointer) => place === pointer || place.startsWith(`${pointer}/`))
  return [...new Set(places.filter((place) => !isIn(place)))]
}
