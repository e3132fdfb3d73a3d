import { expect, test } from 'vitest'
import { formatCursor } from './cursor.ts'
import type { EntryPart } from './dialect.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { cursorBehind, type Draft, toFrames } from './frames.ts'

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
    entry,
    drafts.map((draft) => ({ value: 'x', ...draft })),
    part,
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
    says: 'a part of an event is behind the units before it, with a frame of their own or without',
    entry: entryOf(start, start, start),
    drafts: [{ events: 1, isPart: true }, { events: 2 }, { events: 2, isPart: true }, { events: 3 }],
    cursors: ['4.1.1', '4.2', '4.2.1', '4'],
  },
  {
    says: 'so is an event that counts nothing',
    entry: entryOf(start, text(''), text(''), text('abc')),
    drafts: [{ events: 2 }, { events: 3 }, { events: 4 }],
    cursors: ['4.1.1', '4.1.2', '4'],
  },
])('$says', ({ entry, drafts, cursors }) => {
  expect(cursorsOf(entry, drafts)).toEqual(cursors)
})

test('a part of an entry goes on where the frames before it ended', () => {
  const part = { from: 3, behind: 2, isInner: true }
  expect(cursorsOf(entryOf(text(''), start), [{ events: 1 }, { events: 2 }], part)).toEqual(['4.3.3', '4.4'])
  expect(formatCursor(cursorBehind(entryOf(text('')), part))).toBe('4.3.3')
  expect(formatCursor(cursorBehind(entryOf(start, text('')), part))).toBe('4.4.1')
  expect(formatCursor(cursorBehind(entryOf(start), part))).toBe('4.4')
  expect(formatCursor(cursorBehind(entryOf(start), undefined))).toBe('4')
})
