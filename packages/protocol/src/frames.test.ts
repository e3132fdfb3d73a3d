import { expect, test } from 'vitest'
import { formatCursor } from './cursor.ts'
import type { EntryPart } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { cursorAfter, type Draft, toFrames } from './frames.ts'

const start: SluiceEvent = { kind: 'session-start' }
const text = (piece: string): SluiceEvent => ({
  kind: 'text-delta',
  output: 'a',
  take: 0,
  text: piece,
  position: 0,
  channel: 'answer',
})
const entryOf = (...events: readonly SluiceEvent[]): Entry => ({
  seq: 4,
  at: 0,
  source: { dialect: 'none' },
  direction: 'event',
  clean: false,
  events,
  diagnostics: [],
})

const cursorsOf = (
  entry: Entry,
  drafts: readonly Omit<Draft<string>, 'value'>[],
  part?: EntryPart,
): readonly string[] =>
  toFrames(
    { dialect: 'toy', entry, part, drafts: drafts.map((draft) => ({ value: 'x', ...draft })) },
    (value) => ({ data: value }),
  ).map(({ cursor }) => formatCursor(cursor))

test.each([
  {
    says: 'units count, and the last frame delivers the entry whole',
    entry: entryOf(start, text('abc'), start),
    drafts: [{ events: 1 }, { events: 1, points: 2 }, { events: 2 }, { events: 3 }],
    cursors: ['4.1', '4.3', '4.4', '4'],
  },
  {
    says: 'a part of an event comes after the units before it, which may have no frame, and names its dialect',
    entry: entryOf(start, start, start),
    drafts: [
      { events: 1, isPart: true },
      { events: 1, isPart: true },
      { events: 2 },
      { events: 2, isPart: true },
      { events: 3 },
    ],
    cursors: ['4.1.toy.1', '4.1.toy.2', '4.2', '4.2.toy.1', '4'],
  },
  {
    says: 'pieces without text are counted by themselves, whether they have frames or not',
    entry: entryOf(start, text(''), text(''), text(''), text('abc')),
    drafts: [{ events: 1 }, { events: 3 }, { events: 4 }, { events: 4, isPart: true }, { events: 5 }],
    cursors: ['4.1', '4.1.e2', '4.1.e3', '4.1.e3.toy.1', '4'],
  },
  {
    says: 'a unit after them starts their count again',
    entry: entryOf(text(''), start, text(''), text('abc')),
    drafts: [{ events: 1 }, { events: 2 }, { events: 3 }, { events: 3, points: 1 }, { events: 4 }],
    cursors: ['4.0.e1', '4.1', '4.1.e1', '4.2', '4'],
  },
])('$says', ({ entry, drafts, cursors }) => {
  expect(cursorsOf(entry, drafts)).toEqual(cursors)
})

test('a part of an entry goes on where the part before it ended', () => {
  const part = { from: 3, empty: 2, isInner: true }
  expect(cursorsOf(entryOf(text(''), start), [{ events: 1 }, { events: 2 }], part)).toEqual(['4.3.e3', '4.4'])
  expect(cursorsOf(entryOf(start, start), [{ events: 0, isPart: true }], part)).toEqual(['4.3.e2.toy.1'])
  expect(formatCursor(cursorAfter(entryOf(text('')), part))).toBe('4.3.e3')
  expect(formatCursor(cursorAfter(entryOf(start, text('')), part))).toBe('4.4.e1')
  expect(formatCursor(cursorAfter(entryOf(start), part))).toBe('4.4')
  expect(formatCursor(cursorAfter(entryOf(start), undefined))).toBe('4')
})
