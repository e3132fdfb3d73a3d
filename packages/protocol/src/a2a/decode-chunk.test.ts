import { describe, expect, test } from 'vitest'
import type { Dialect } from '../dialect.ts'
import { a2a } from '../dialects/a2a/index.ts'
import { a2aV1 } from '../dialects/a2a-v1/index.ts'
import type { SluiceEvent } from '../events.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { encodeSession, entriesOf, readSession, withoutRaw } from '../testing/sessions.ts'

const agent = { id: 'agent-1', kind: 'assistant', name: 'Agent' }
const meta = { id: 'evt-3', at: '2026-05-24T14:22:03.014Z', agent, urgency: 'normal', trace: 'abc' } as const
const delta = (output: string, channel: 'answer' | 'reasoning', more: object): SluiceEvent => ({
  kind: 'text-delta',
  output,
  take: 0,
  position: 0,
  text: 'more words ',
  channel,
  ...more,
})

/** The frames of a text in two chunks; the second has `more`. */
function framesOf(
  dialect: Dialect,
  more: object,
  output = 'out',
  channel: 'answer' | 'reasoning' = 'answer',
) {
  const { state, entries } = entriesOf([
    [{ kind: 'session-start' }],
    [delta(output, channel, { meta: { agent } })],
    [delta(output, channel, more)],
    [{ kind: 'session-end', outcome: 'completed' }],
  ])
  return encodeSession(dialect, state, entries).map(({ data }) => data)
}

/** The same frames with the third changed. */
function withThird(
  lines: readonly string[],
  change: (update: Record<string, unknown>) => void,
): readonly string[] {
  return lines.map((line, index) => {
    if (index !== 2) return line
    const frame = JSON.parse(line) as Record<string, Record<string, unknown>>
    change(frame['artifactUpdate'] ?? frame)
    return JSON.stringify(frame)
  })
}

function deltasOf(dialect: Dialect, lines: readonly string[]) {
  const { entries, findings } = readSession(dialect, lines)
  const deltas = entries.flatMap(({ events }) => events.filter(({ kind }) => kind === 'text-delta'))
  return { deltas, findings }
}

const inEnvelope = (line: string): string => `{"jsonrpc":"2.0","id":1,"result":${line}}`
const isKept = (event: SluiceEvent | undefined): boolean =>
  Object.values(event?.meta?.ext ?? {}).some((kept) => isJsonObject(kept) && kept['frame'] !== undefined)

describe.each([a2a, a2aV1])('$id', (dialect) => {
  test.each([
    ['nothing but its output', {}],
    ['a hint', { hint: 'word' }],
    ['content type and language', { contentType: 'text/markdown', language: 'en' }],
    ['id, time and agent', { meta }],
    [
      'all of it',
      { hint: 'none', language: 'de', meta: { ...meta, localization: { primary_language: 'de' } } },
    ],
  ])('a chunk that carries %s is read without keeping its frame, and comes out the same', (_what, more) => {
    for (const [output, channel] of [
      ['out', 'answer'],
      ['stream_delta', 'answer'],
      ['thoughts', 'reasoning'],
    ] as const) {
      const lines = framesOf(dialect, more, output, channel)
      const session = readSession(dialect, lines)
      const event = session.entries[2]?.events[0]
      expect(event).toMatchObject({ kind: 'text-delta', output, channel, position: 11, ...more })
      expect(isKept(event)).toBe(false)
      expect(session.entries.every(({ clean }) => clean)).toBe(true)
      const again = encodeSession(dialect, session.state, withoutRaw(session.entries))
      expect(again.map(({ data }) => JSON.parse(data))).toEqual(lines.map((line) => JSON.parse(line)))
    }
  })

  test.each<[string, JsonObject]>([
    ['an empty sluice', { sluice: {} }],
    ['a sluice that is none', { sluice: 'out' }],
    ['another member of the metadata', { sluice: { output: 'out' }, trace: 'abc' }],
    ['an unknown member', { sluice: { output: 'out', colour: 'red' } }],
    ['the output of its artifact', { sluice: { output: 'stream_delta' } }],
    ['an output that is no string', { sluice: { output: 7 } }],
    ['the usual channel', { sluice: { output: 'out', channel: 'answer' } }],
    ['another channel', { sluice: { output: 'out', channel: 'reasoning' } }],
    ['an unknown hint', { sluice: { output: 'out', hint: 'later' } }],
    ['a language that is no string', { sluice: { output: 'out', language: null } }],
    ['an empty meta', { sluice: { output: 'out', meta: {} } }],
    ['a meta that is none', { sluice: { output: 'out', meta: [] } }],
    ['an id that is no string', { sluice: { output: 'out', meta: { id: 7 } } }],
    ['an agent that is none', { sluice: { output: 'out', meta: { agent: 'me' } } }],
    ['an agent without a name', { sluice: { output: 'out', meta: { agent: { name: null } } } }],
    ['an unknown urgency', { sluice: { output: 'out', meta: { urgency: 'later' } } }],
    ['a localization that is none', { sluice: { output: 'out', meta: { localization: 'de' } } }],
    ['summaries', { sluice: { output: 'out', meta: { summaries: { terse: 'More.' } } } }],
    ['what another reader kept', { sluice: { output: 'out', meta: { ext: { a2a: {} } } } }],
    ['what nobody sent', { sluice: { output: 'out', meta: { id: 'evt-3', implied: true } } }],
    ['an output that nobody opened', { sluice: { output: 'other' } }],
    ['a reset', { sluice: { output: 'out', reset: true } }],
  ])('a chunk with %s says the same as on the long way', (_what, metadata) => {
    const lines = withThird(framesOf(dialect, { meta }), (update) => {
      update['metadata'] = metadata
    })
    const short = deltasOf(dialect, lines)
    const long = deltasOf(dialect, lines.map(inEnvelope))
    expect(short.deltas).toEqual(long.deltas)
    expect(short.findings.map(({ code }) => code)).toEqual(long.findings.map(({ code }) => code))
    expect(isKept(short.deltas[1])).toBe(true)
  })

  test('a chunk in another artifact than the text began in keeps its frame', () => {
    const lines = withThird(framesOf(dialect, { meta }), (update) => {
      update['artifact'] = { ...(update['artifact'] as object), artifactId: 'other', name: 'other' }
    })
    const session = readSession(dialect, lines)
    expect(isKept(session.entries[2]?.events[0])).toBe(true)
    const again = encodeSession(dialect, session.state, withoutRaw(session.entries))
    expect(JSON.parse(again[2]?.data ?? '')).toEqual(JSON.parse(lines[2] ?? ''))
  })
})
