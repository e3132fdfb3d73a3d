import { describe, expect, test } from 'vitest'
import type { Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { lossesBetween } from './losses.ts'
import { listedLosses } from './testing/listed-losses.ts'
import { essenceOf } from './testing/projection.ts'
import { richSession } from './testing/rich-session.ts'
import { encodeSession, entriesOf, type ReadSession, readSession, withoutRaw } from './testing/sessions.ts'

/** What no page may list as lost. */
const never =
  /^(text-delta|text-end\.interrupted|tool-call\.tool|tool-result\.(tool|status)|session-end\.outcome|question-open\.(question|text)|question-close\.(decision|response|how)|session-end|tool-call|tool-result|question-open|question-close)$/

/** The session as it is once `dialect` has said it. */
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

const rich = entriesOf(richSession)

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))('from %s', (_id, source) => {
  const original = saidIn(source, rich)
  const listed = listedLosses(source.id)

  test('nothing that matters is lost to begin with', () => {
    expect(essenceOf(original.state)).toEqual(essenceOf(rich.state))
  })

  test.each(dialects.filter((target) => target !== source).map((target) => [target.id, target] as const))(
    'to %s and back loses what its page lists, and nothing that matters',
    (id, target) => {
      const back = saidIn(source, saidIn(target, original))
      expect(essenceOf(back.state)).toEqual(essenceOf(original.state))
      const losses = lossesBetween(eventsOf(original), eventsOf(back))
      expect(losses.filter((path) => never.test(path))).toEqual([])
      expect(losses).toEqual(
        listed
          .filter(({ towards }) => towards === id)
          .map(({ lost }) => lost)
          .sort(),
      )
    },
  )
})
