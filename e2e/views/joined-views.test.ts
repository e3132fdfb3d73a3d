import {
  type Cursor,
  createSessionState,
  divideEntry,
  type Entry,
  foldEntry,
  formatCursor,
  type OutFrame,
  parseCursor,
  type SessionState,
  startCursor,
  type TextDelta,
} from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Coalescing } from '../../packages/gateway/src/kernel/fan-out/joiner.ts'
import {
  cursorOf,
  enterAt,
  flushPosition,
  type JoinSource,
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

/** The session as far as a reader at this cursor has it. */
async function stateAt(entries: readonly Entry[], { seq, units }: Cursor): Promise<SessionState> {
  const entry = entries[seq]
  if (units === undefined || entry === undefined) return sourceOf(entries).stateAt(seq)
  return divideEntry(await sourceOf(entries).stateAt(seq - 1), entry, units).state
}

/** All frames from a cursor on, apart from those with which the contract joins. */
async function readFrom(
  spec: ViewSpec,
  entries: readonly Entry[],
  cursor: string,
): Promise<readonly OutFrame[]> {
  const at = parseCursor(cursor)
  const entered = await enterAt(spec, sourceOf(entries), at)
  if (entered === undefined) throw new Error(`no way in at ${cursor}`)
  const joining = spec.encoder.enter(await stateAt(entries, at), at).frames.length
  const frames = [...entered.frames.slice(joining)]
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
      const cursors = frames.map(
        ({ cursor }) => [cursor.seq, cursor.units ?? Infinity, cursor.frames ?? 0] as const,
      )
      for (const [index, cursor] of cursors.entries()) {
        const before = cursors[index - 1]
        if (before === undefined) continue
        const order = before[0] - cursor[0] || before[1] - cursor[1] || before[2] - cursor[2]
        expect(order, `${before.join('.')} before ${cursor.join('.')}`).toBeLessThan(0)
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
  let entered = await enterAt(spec, sourceOf(entries), startCursor)
  const seen: string[] = []
  for (const entry of entries.slice(0, 2)) {
    if (entered === undefined) throw new Error('no way in')
    entered = stepEntry(spec, entered.position, entry)
    seen.push(formatCursor(cursorOf(entered.position)))
  }
  // The first entry begins with the implied start of the session, which is a unit.
  expect(seen).toEqual(['0.6', '1.3'])
})
