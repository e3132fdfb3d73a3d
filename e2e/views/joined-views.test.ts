import {
  createSessionState,
  type Entry,
  foldEntry,
  formatCursor,
  type OutFrame,
  parseCursor,
  startCursor,
  type TextDelta,
} from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareCursors } from '../../packages/client/src/compare-cursors.ts'
import type { JoinSource } from '../../packages/gateway/src/kernel/fan-out/find-place.ts'
import type { Coalescing } from '../../packages/gateway/src/kernel/fan-out/joiner.ts'
import {
  cursorOf,
  enterAt,
  flushPosition,
  stepEntry,
  type ViewSpec,
} from '../../packages/gateway/src/kernel/fan-out/position.ts'
import { dialectView } from '../../packages/gateway/src/kernel/fan-out/view-spec.ts'
import { anyEntries } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { entriesOf } from '../../packages/protocol/src/testing/sessions.ts'

const coalescings: readonly (Coalescing | undefined)[] = [
  undefined,
  { unit: 'word' },
  { unit: 'sentence' },
  { unit: 'paragraph' },
  { spanMs: 40 },
]

function sourceOf(entries: readonly Entry[]): JoinSource {
  return {
    lastSeq: entries.length - 1,
    entryAt: async (seq) => entries[seq],
    stateAt: async (seq) =>
      entries
        .slice(0, seq + 1)
        .reduce((state, entry) => foldEntry(state, entry), createSessionState({ id: 'sess_test1' })),
  }
}

/** All frames after a cursor, except those that the dialect needs for joining. */
async function readFrom(
  spec: ViewSpec,
  entries: readonly Entry[],
  cursor: string,
): Promise<readonly OutFrame[]> {
  const entered = await enterAt(spec, sourceOf(entries), parseCursor(cursor))
  if (entered === undefined) throw new Error(`no way in at ${cursor}`)
  const frames = [...entered.rest]
  let { position } = entered
  for (const entry of entries.slice(position.seq + 1)) {
    const stepped = stepEntry(spec, position, entry)
    frames.push(...stepped.frames)
    position = stepped.position
  }
  frames.push(...flushPosition(spec, position).frames)
  return frames
}

const textOf = (frames: readonly OutFrame[]): readonly string[] =>
  frames.map(({ data, cursor }) => `${formatCursor(cursor)} ${data}`)

function timed(entries: readonly Entry[], gaps: readonly number[]): readonly Entry[] {
  let at = 1_800_000_000_000
  return entries.map((entry, index) => {
    at += gaps[index % gaps.length] ?? 0
    return { ...entry, at }
  })
}

describe.each(dialects.map((dialect) => ({ dialect, id: dialect.id })))('$id', ({ dialect }) => {
  test.each(coalescings)('reads the same from every cursor when joined by %o', async (coalescing) => {
    const spec = dialectView(dialect, coalescing)
    const check = async (entries: readonly Entry[]): Promise<void> => {
      const all = await readFrom(spec, entries, formatCursor(startCursor))
      const texts = textOf(all)
      for (const [index, { cursor }] of all.entries()) {
        const rest = await readFrom(spec, entries, formatCursor(cursor))
        expect(textOf(rest)).toEqual(texts.slice(index + 1))
      }
    }
    await check(timed(entriesOf(richSession).entries, [7, 0, 55, 13]))
    await fc.assert(
      fc.asyncProperty(anyEntries, fc.array(fc.nat({ max: 60 }), { minLength: 1 }), async (groups, gaps) =>
        check(timed(entriesOf(groups).entries, gaps)),
      ),
      { numRuns: runs(10) },
    )
  })

  test('cursors of a view never go back and never repeat', async () => {
    const { entries } = entriesOf(richSession)
    for (const coalescing of coalescings) {
      const frames = await readFrom(dialectView(dialect, coalescing), entries, '-1')
      for (const [index, { cursor }] of frames.entries()) {
        const before = frames[index - 1]?.cursor ?? startCursor
        const told = `${formatCursor(before)} before ${formatCursor(cursor)}`
        expect(compareCursors(before, cursor), told).toBeLessThan(0)
      }
    }
  })
})

const delta = (text: string): TextDelta => ({
  kind: 'text-delta',
  output: 'a',
  take: 0,
  text,
  position: 0,
  channel: 'answer',
})

test('joined text is all of the text, in fewer frames that are as valid', async () => {
  const words = 'The train leaves at eight. It takes two hours. Take a seat by the window. '.split(/(?<= )/)
  const { entries } = entriesOf(words.map((text) => [delta(text)]))
  for (const dialect of dialects) {
    const plain = await readFrom(dialectView(dialect, undefined), entries, '-1')
    const joined = await readFrom(dialectView(dialect, { unit: 'sentence' }), entries, '-1')
    expect(joined.length, dialect.id).toBeLessThan(plain.length - 10)
    for (const frame of joined) expect(dialect.validate(JSON.parse(frame.data)), frame.data).toEqual([])
  }
})

test('a position that holds text stands where that text begins', async () => {
  const { entries } = entriesOf([[delta('One. Tw')], [delta('o. Three')]])
  const [dialect] = dialects
  if (dialect === undefined) throw new Error('no dialect')
  const spec = dialectView(dialect, { unit: 'sentence' })
  const entered = await enterAt(spec, sourceOf(entries), startCursor)
  if (entered === undefined) throw new Error('no way in')
  let { position } = entered
  const seen: string[] = []
  for (const entry of entries.slice(0, 2)) {
    position = stepEntry(spec, position, entry).position
    seen.push(formatCursor(cursorOf(position)))
  }
  // The first entry begins with the implied start of the session, which is a unit.
  expect(seen).toEqual(['0.6', '1.3'])
})
