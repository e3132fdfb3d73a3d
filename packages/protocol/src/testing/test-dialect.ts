import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cursor, formatCursor, parseCursor } from '../cursor.ts'
import type { Dialect, OutFrame } from '../dialect.ts'
import { eventKinds } from '../events.ts'
import { foldEntry } from '../fold.ts'
import { createNdjsonDecoder } from '../framing/ndjson.ts'
import type { JsonValue } from '../json.ts'
import { createSessionState } from '../session-state.ts'
import { anyEntries } from './arbitrary-events.ts'
import { enterInside } from './enter-inside.ts'
import { createHits } from './hits.ts'
import { anyMutation, mutate } from './mutations.ts'
import { essenceOf } from './projection.ts'
import { runs } from './runs.ts'
import { encodeSession, entriesOf, type ReadSession, readSession, withoutRaw } from './sessions.ts'

export interface DialectSuite {
  /** The dialect's `fixtures/` folder: recordings `*.ndjson`, those with findings named `broken-*`. */
  readonly fixtures: URL
  /** Removes from a frame what re-encoding may not repeat, such as AAEP's sequence_number. */
  readonly comparable?: (value: JsonValue) => JsonValue
}

/** The tests that every dialect must pass. */
export function testDialect(dialect: Dialect, suite: DialectSuite): void {
  const recordings = readdirSync(suite.fixtures)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => ({ name, lines: linesOf(new URL(name, suite.fixtures)) }))
  const sound = recordings.filter(({ name }) => !name.startsWith('broken-'))
  const comparable = suite.comparable ?? ((value: JsonValue) => value)

  describe.each(sound)('$name', ({ name, lines }) => {
    const session = readSession(dialect, lines)

    test('is clean and decodes to its golden', async () => {
      expect(session.findings).toEqual([])
      const golden = session.entries.map((entry) => JSON.stringify(entry.events)).join('\n')
      await expect(`${golden}\n`).toMatchFileSnapshot(new URL(`${name}.events`, suite.fixtures).pathname)
    })

    test('comes out byte for byte while the view is a copy', () => {
      const received = session.entries.filter((entry) => entry.direction !== 'system')
      const frames = encodeSession(dialect, session.state, received)
      expect(frames.map((frame) => frame.data)).toEqual(lines)
    })

    test('comes out the same when it is encoded from its events', () => {
      const received = session.entries.filter((entry) => entry.direction !== 'system')
      const frames = encodeSession(dialect, session.state, withoutRaw(received))
      const values = frames.map((frame) => comparable(JSON.parse(frame.data) as JsonValue))
      expect(values).toEqual(lines.map((line) => comparable(JSON.parse(line) as JsonValue)))
    })

    test('is the same session to a reader who joins at any cursor', () => {
      checkEntering(dialect, session)
      checkEntering(dialect, { ...session, entries: withoutRaw(session.entries) })
    })

    test('survives any chunking and any truncation', () => {
      checkFraming(dialect, lines)
    })
  })

  test('random sessions come out valid, in order and with all that matters', () => {
    const hits = createHits(eventKinds)
    fc.assert(
      fc.property(anyEntries, (groups) => {
        const session = entriesOf(groups)
        for (const entry of session.entries) for (const event of entry.events) hits.hit(event.kind)
        const frames = encodeSession(dialect, session.state, session.entries)
        expect(checkFrames(dialect, frames)).toEqual([])
        const back = readSession(
          dialect,
          frames.map((frame) => frame.data),
        )
        expect(essenceOf(back.state)).toEqual(essenceOf(session.state))
      }),
      { numRuns: runs(200) },
    )
    expect(hits.missing(`${dialect.id}, kinds in random sessions`)).toEqual([])
  })

  test('random sessions are the same to a reader who joins at any cursor', () => {
    fc.assert(
      fc.property(anyEntries, (groups) => checkEntering(dialect, entriesOf(groups.slice(0, 8)))),
      { numRuns: runs(50) },
    )
  })

  test('mutated recordings never throw, and every rule is found broken', () => {
    const hits = createHits(dialect.rules.map((rule) => rule.code))
    fc.assert(
      fc.property(
        fc.nat(recordings.length - 1),
        fc.array(anyMutation, { maxLength: 3 }),
        (index, mutations) => {
          const lines = recordings[index]?.lines ?? []
          const session = readSession(dialect, mutations.reduce(mutate, lines))
          for (const finding of session.findings) {
            hits.hit(finding.code)
            expect(finding.message).not.toBe('')
          }
          const frames = encodeSession(dialect, session.state, session.entries)
          expect(checkFrames(dialect, frames)).toEqual([])
        },
      ),
      { numRuns: runs(2000) },
    )
    expect(hits.missing(`${dialect.id}, rules in mutated recordings`)).toEqual([])
  })

  test('random JSON and random text never throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), { maxLength: 4 }), (lines) => {
        const session = readSession(dialect, lines)
        expect(checkFrames(dialect, encodeSession(dialect, session.state, session.entries))).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })
}

function linesOf(url: URL): readonly string[] {
  return readFileSync(url, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

/** The problems of emitted frames: by the strict schema, and by reading them back. */
function checkFrames(dialect: Dialect, frames: readonly OutFrame[]): readonly string[] {
  const wrong: string[] = []
  for (const { data } of frames) {
    if (/[\r\n]/.test(data)) wrong.push(`line break in ${data.slice(0, 200)}`)
    for (const finding of dialect.validate(JSON.parse(data) as JsonValue))
      wrong.push(`${finding.code} ${finding.path} in ${data.slice(0, 300)}`)
  }
  const back = readSession(
    dialect,
    frames.map((frame) => frame.data),
    { isEnded: false },
  )
  for (const { line, code, path, message } of back.findings)
    wrong.push(`${code} ${path} ${message} in ${(frames[line - 1]?.data ?? 'the end').slice(0, 300)}`)
  return wrong
}

/** Enters after every frame: the frames that follow must be those for a reader from the start. */
function checkEntering(dialect: Dialect, session: ReadSession): void {
  const { entries, state } = session
  const whole = encodeSession(dialect, state, entries)
  const total = essenceOf(
    readSession(
      dialect,
      whole.map((frame) => frame.data),
    ).state,
  )
  for (const [index, frame] of whole.entries()) {
    const rest = enterAt(dialect, session, frame.cursor)
    const expected = whole.slice(index + 1).map((next) => next.data)
    const joining = rest.length - expected.length
    const where = `at ${formatCursor(frame.cursor)}`
    expect(parseCursor(formatCursor(frame.cursor)), where).toEqual(frame.cursor)
    expect(frame.cursor.dialect, where).toBe(frame.cursor.frames === undefined ? undefined : dialect.id)
    expect(rest.slice(Math.max(0, joining)), where).toEqual(expected)
    const seen = [...whole.slice(0, index + 1).map((before) => before.data), ...rest]
    expect(essenceOf(readSession(dialect, seen).state), where).toEqual(total)
  }
}

function enterAt(dialect: Dialect, { state, entries }: ReadSession, cursor: Cursor): readonly string[] {
  let before = createSessionState(state)
  const isInside = cursor.units !== undefined
  const delivered = isInside ? cursor.seq : cursor.seq + 1
  for (const entry of entries.slice(0, delivered)) before = foldEntry(before, entry)
  const inside = isInside ? entries[cursor.seq] : undefined
  const { enter, restore } = dialect.encode
  if (restore !== undefined) expect(restore(before)).toEqual(enter(before, cursor).state)
  let encoded =
    inside === undefined
      ? dialect.encode.enter(before, cursor)
      : enterInside(dialect, { before, entry: inside }, cursor)
  const frames = [...encoded.frames]
  for (const entry of entries.slice(cursor.seq + 1)) {
    encoded = dialect.encode.step(encoded.state, entry)
    frames.push(...encoded.frames)
  }
  return frames.map((frame) => frame.data)
}

function checkFraming(dialect: Dialect, lines: readonly string[]): void {
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
  const whole = JSON.stringify(readSession(dialect, lines).entries)
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 20 }),
      fc.nat(bytes.length),
      (sizes, end) => {
        expect(JSON.stringify(readSession(dialect, textsOf(bytes, sizes)).entries)).toBe(whole)
        const cut = readSession(dialect, textsOf(bytes.subarray(0, end), sizes), { isEnded: false }).entries
        expect(whole.startsWith(JSON.stringify(cut.slice(0, -1)).slice(0, -1))).toBe(true)
      },
    ),
    { numRuns: runs(20) },
  )
}

function textsOf(bytes: Uint8Array, sizes: readonly number[]): readonly string[] {
  const decoder = createNdjsonDecoder()
  const framed = []
  let at = 0
  for (const size of sizes) {
    framed.push(...decoder.push(bytes.subarray(at, at + size)))
    at += size
  }
  framed.push(...decoder.push(bytes.subarray(at)), ...decoder.end())
  return framed.flatMap((item) => (item.ok ? [item.text] : []))
}
