import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dialects } from './dialects/index.ts'
import type { SluiceEvent } from './events.ts'
import { encodeSession, entriesOf } from './testing/sessions.ts'

const planted = {
  'the request': 'SENTINEL-REQUEST',
  'tool arguments': 'SENTINEL-ARGS',
  'tool results': 'SENTINEL-RESULT',
} as const

const events: readonly (readonly SluiceEvent[])[] = [
  [{ kind: 'session-start', request: planted['the request'], tools: ['t'] }],
  [{ kind: 'tool-call', call: 'c1', tool: 't', args: { q: [planted['tool arguments']] } }],
  [{ kind: 'tool-call-delta', call: 'c1', argsText: `{"q":"${planted['tool arguments']}"}` }],
  [{ kind: 'tool-result', call: 'c1', tool: 't', status: 'success', result: { r: planted['tool results'] } }],
  [{ kind: 'tool-call', call: 'c2', tool: 't', args: planted['tool arguments'] }],
  [{ kind: 'tool-result', call: 'c2', tool: 't', status: 'error', message: planted['tool results'] }],
  [{ kind: 'text-delta', output: 'a', take: 0, position: 0, text: 'Done.', channel: 'answer' }],
  [{ kind: 'session-end', outcome: 'completed' }],
]

/** The pointers to texts with `needle` in `value`, with list indexes as `*`. */
function placesOf(value: unknown, needle: string, at = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(needle) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    placesOf(inner, needle, `${at}/${Array.isArray(value) ? '*' : key}`),
  )
}

/** The pointers that a dialect's page allows, by payload. A pointer allows everything below it. */
function allowedPlaces(id: string): Readonly<Record<string, readonly string[]>> {
  const page = readFileSync(new URL(`../../../docs/dialects/${id}.md`, import.meta.url), 'utf8')
  const section = page.split(/^## Where payloads may go$/m)[1]?.split(/^## /m)[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return Object.fromEntries(
    rows.map((row) => {
      const [, payload = '', places = ''] = row.split('|').map((cell) => cell.trim())
      return [payload.toLowerCase(), [...places.matchAll(/`(\/[^`]*)`/g)].map((match) => match[1] ?? '')]
    }),
  )
}

test.each(dialects.map((dialect) => [dialect.id, dialect] as const))(
  '%s holds the request, tool arguments and tool results where its page says, and nowhere else',
  (id, dialect) => {
    const session = entriesOf(events)
    const allowed = allowedPlaces(id)
    for (const [payload, needle] of Object.entries(planted)) {
      const pointers = allowed[payload]
      expect(pointers, `a row for ${payload}`).toBeDefined()
      const found = new Set<string>()
      for (const { data } of encodeSession(dialect, session.state, session.entries))
        for (const place of placesOf(JSON.parse(data), needle)) {
          const allows = pointers?.find((pointer) => place === pointer || place.startsWith(`${pointer}/`))
          found.add(allows ?? `not allowed: ${place}`)
        }
      expect([...found].sort(), payload).toEqual([...(pointers ?? [])].sort())
    }
  },
)
