import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startCursor } from './cursor.ts'
import type { Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { foldEntry } from './fold.ts'
import { admit, createIntake, parseFrame } from './intake.ts'
import { lossesBetween } from './losses.ts'
import { createSessionState, type SessionState } from './session-state.ts'
import { tellEntry } from './tell-entry.ts'
import { anyEntries } from './testing/arbitrary-events.ts'
import { fullSession } from './testing/full-session.ts'
import { listedLosses } from './testing/listed-losses.ts'
import { runs } from './testing/runs.ts'
import { entriesOf, type ReadSession, readSession } from './testing/sessions.ts'

/** Every entry of a session, with the state before it. */
function placesOf({ entries, state }: ReadSession): readonly (readonly [SessionState, Entry])[] {
  let before = createSessionState(state)
  return entries.map((entry) => {
    const place = [before, entry] as const
    before = foldEntry(before, entry)
    return place
  })
}

const lossesIn = (dialect: Dialect, session: ReadSession): readonly string[] => {
  const lost = placesOf(session).flatMap(([before, entry]) => tellEntry(dialect, before, entry).lost)
  return [...new Set(lost)].sort()
}

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))('told in %s', (_id, dialect) => {
  test('the full session loses, entry by entry, what the page lists', () => {
    expect(lossesIn(dialect, entriesOf(fullSession))).toEqual(listedLosses(dialect.id))
  })

  test('its entries behind the first, in any choice and order, lose nothing else', () => {
    // In another order a text may be reset before it starts, which in AAEP is how any text starts.
    const listed = [...listedLosses(dialect.id), 'text-reset']
    fc.assert(
      fc.property(fc.shuffledSubarray(fullSession.slice(1)), (groups) => {
        const lost = lossesIn(dialect, entriesOf([...fullSession.slice(0, 1), ...groups]))
        expect(lost.filter((path) => !listed.includes(path))).toEqual([])
      }),
      { numRuns: runs(10) },
    )
  })

  test('any entry loses what one who read from the start did not get, and nothing that its frames say', () => {
    fc.assert(
      fc.property(anyEntries, (groups) => checkAgainstReader(dialect, entriesOf(groups.slice(0, 12)))),
      { numRuns: runs(15) },
    )
  })

  test('a recording that is handed on as it came loses nothing', () => {
    const folder = new URL(`./dialects/${dialect.id}/fixtures/`, import.meta.url)
    const names = readdirSync(folder).filter(
      (name) => name.endsWith('.ndjson') && !name.startsWith('broken-'),
    )
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
      const session = readSession(
        dialect,
        lines.filter((line) => line !== ''),
      )
      const received = session.entries.filter(({ direction }) => direction !== 'system')
      expect(lossesIn(dialect, { ...session, entries: received }), name).toEqual([])
    }
  })
})

test('nothing is ever lost in the dialect of the log', () => {
  const sluice = dialects.find(({ id }) => id === 'sluice') as Dialect // it is one of them
  fc.assert(
    fc.property(anyEntries, (groups) => {
      expect(lossesIn(sluice, entriesOf(groups))).toEqual([])
    }),
    { numRuns: runs(100) },
  )
})

/**
 * Compares with a reader of the whole stream. Facts that the frames of an entry do not give that reader are
 * losses; facts that no frame so far has given must be losses.
 */
function checkAgainstReader(dialect: Dialect, session: ReadSession): void {
  const before = createSessionState(session.state)
  let { state: view } = dialect.encode.enter(before, startCursor)
  let intake = createIntake(before)
  const start: SluiceEvent = { kind: 'session-start' }
  const told: SluiceEvent[] = [start]
  for (const [state, entry] of placesOf(session)) {
    const encoded = dialect.encode.step(view, entry)
    view = encoded.state
    const own: SluiceEvent[] = [start]
    for (const { data } of encoded.frames) {
      const parsed = parseFrame(data)
      if (!parsed.ok) throw new Error(`no JSON: ${data}`)
      const admission = admit(intake, parsed.frame, { dialect, at: entry.at })
      intake = admission.intake
      if (admission.ok) own.push(...admission.entry.events.filter(({ meta }) => meta?.implied !== true))
    }
    told.push(...own)
    const stated = statedBy(entry, own.slice(1))
    const { frames, lost } = tellEntry(dialect, state, entry)
    expect(frames).toEqual(encoded.frames)
    expect(lost.filter((path) => !covers(lossesBetween(stated, own), path))).toEqual([])
    expect(lossesBetween(stated, told).filter((path) => !covers(lost, path))).toEqual([])
  }
}

/**
 * The parts of an entry's events that can be lost: without empty deltas, and without the meta of omitted
 * kinds.
 */
function statedBy(entry: Entry, own: readonly SluiceEvent[]): readonly SluiceEvent[] {
  const kinds = new Set(own.map(({ kind }) => kind))
  return entry.events
    .filter((event) => event.meta?.implied !== true && (event.kind !== 'text-delta' || event.text !== ''))
    .map((event) => {
      const { meta: _meta, ...rest } = event
      return kinds.has(event.kind) ? event : rest
    })
}

/** A kind stands for all its fields. */
function covers(losses: readonly string[], path: string): boolean {
  return losses.includes(path) || losses.includes(path.split('.')[0] ?? '')
}
