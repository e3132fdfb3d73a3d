import { describe, expect, test } from 'vitest'
import type { Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { lossesBetween } from './losses.ts'
import { eventSchemas } from './schemas/event-schema.ts'
import { fullSession } from './testing/full-session.ts'
import { listedLosses } from './testing/listed-losses.ts'
import { essenceOf } from './testing/projection.ts'
import { encodeSession, entriesOf, type ReadSession, readSession, withoutRaw } from './testing/sessions.ts'

/** Paths that no page may list as lost. */
const never =
  /^(text-delta|text-end\.interrupted|tool-call\.tool|tool-result\.(tool|status)|session-end\.outcome|question-open\.(question|text)|question-close\.(decision|response|how)|session-end|tool-call|tool-result|question-open|question-close)$/

/** Fields that settling assigns, and fields for one dialect only. */
const unstated = ['text-delta.held', 'text-delta.joins', 'meta.implied', 'meta.ext']

/** The session after `dialect` has encoded and decoded it. */
function saidIn(dialect: Dialect, session: ReadSession): ReadSession {
  const frames = encodeSession(dialect, session.state, withoutRaw(session.entries))
  const said = readSession(
    dialect,
    frames.map((frame) => frame.data),
  )
  expect(said.findings, `${dialect.id} says it without a finding`).toEqual([])
  return said
}

const eventsOf = ({ entries }: ReadSession) => entries.flatMap(({ events }) => events)
const lossesIn = (before: ReadSession, after: ReadSession) => lossesBetween(eventsOf(before), eventsOf(after))
const named = (list: readonly Dialect[]) => list.map((dialect) => [dialect.id, dialect] as const)

const full = entriesOf(fullSession)

test('the full session states every field, so that no dialect can show a loss that it does not', () => {
  const events = eventsOf(full)
  const metas = events.flatMap(({ meta }) => (meta === undefined ? [] : [meta]))
  const stated = new Set([
    ...events.flatMap((event) => Object.keys(event).map((field) => `${event.kind}.${field}`)),
    ...metas.flatMap((meta) => Object.keys(meta).map((field) => `meta.${field}`)),
    ...metas.flatMap(({ agent = {} }) => Object.keys(agent).map((field) => `meta.agent.${field}`)),
    ...metas.flatMap(({ summaries = {} }) =>
      Object.keys(summaries).map((field) => `meta.summaries.${field}`),
    ),
  ])
  const { meta } = eventSchemas.unknown.properties
  const { agent, summaries } = meta.properties
  const fields = [
    ...Object.entries(eventSchemas).flatMap(([kind, { properties }]) =>
      Object.keys(properties).map((field) => `${kind}.${field}`),
    ),
    ...Object.keys(meta.properties).map((field) => `meta.${field}`),
    ...Object.keys(agent.properties).map((field) => `meta.agent.${field}`),
    ...Object.keys(summaries.properties).map((field) => `meta.summaries.${field}`),
  ]
  expect(fields.filter((field) => !stated.has(field) && !unstated.includes(field))).toEqual([])
})

describe.each(named(dialects))('to %s', (id, target) => {
  const listed = listedLosses(id)

  test('its page lists nothing that matters', () => {
    expect(listed.filter((path) => never.test(path))).toEqual([])
  })

  test('nothing that matters is lost to begin with', () => {
    expect(essenceOf(saidIn(target, full).state)).toEqual(essenceOf(full.state))
  })

  test('its page lists what is lost of the full session, as itself and as told by others, and nothing else', () => {
    const sources = dialects.filter((source) => source !== target).map((source) => saidIn(source, full))
    const lost = [full, ...sources].flatMap((session) => lossesIn(session, saidIn(target, session)))
    expect([...new Set(lost)].sort()).toEqual(listed)
  })

  test.each(named(dialects.filter((source) => source !== target)))(
    'and back to %s loses what either page lists, and nothing that matters',
    (sourceId, source) => {
      const original = saidIn(source, full)
      const back = saidIn(source, saidIn(target, original))
      expect(essenceOf(back.state)).toEqual(essenceOf(original.state))
      const either = [...listed, ...listedLosses(sourceId)]
      expect(lossesIn(original, back).filter((path) => !either.includes(path))).toEqual([])
    },
  )
})
