import { type Cursor, formatCursor, type OutFrame, parseCursor, startCursor } from '@sluice/protocol'
import { compareCursors } from '../../packages/client/src/compare-cursors.ts'
import {
  contentOf,
  framesBefore,
  nothingUnderstood,
  type Read,
  type StoredSession,
  toLines,
  type Understanding,
  understand,
  type View,
  withoutFrames,
} from './view-readers.ts'

export interface CheckedPairs {
  /** How many times a view was read from a cursor of another view, or of itself. */
  readonly checked: number
  /** The cursors that were given out, as text. */
  readonly cursors: readonly string[]
  /** What is wrong, one sentence each. */
  readonly wrong: readonly string[]
}

interface Whole {
  readonly read: Read
  readonly content: string
}

export interface PairOptions {
  readonly session: StoredSession
  readonly views: readonly View[]
  /** Reads a view from a cursor to the end of the session; undefined if there is a gap. */
  readonly read: (view: View, at: Cursor, turn: number) => Promise<Read | undefined>
  /** Picks pairs of a cursor and a view, both by their index. */
  readonly isChosen: (cursor: number, view: number, text: string) => boolean
}

/** Reads every view, collects every cursor that a view gives out, and reads every view from each of them. */
export async function checkPairs({ session, views, read, isChosen }: PairOptions): Promise<CheckedPairs> {
  const wrong: string[] = []
  const wholes = new Map<View, Whole>()
  const givers = new Map<string, Set<View>>()
  for (const view of views) {
    const whole = await read(view, startCursor, 0)
    if (whole === undefined) throw new Error(`${view.name} has no start`)
    const content = contentOf(understand(view.dialect, nothingUnderstood, { frames: whole.frames }))
    wholes.set(view, { read: whole, content })
    for (const { cursor, count } of whole.stops) {
      const last = whole.frames[count - 1]?.cursor ?? startCursor
      if (compareCursors(cursor, last) < 0)
        wrong.push(`${view.name} is at ${formatCursor(cursor)} after its frame ${formatCursor(last)}`)
    }
    for (const { cursor } of [...whole.frames, ...whole.stops]) {
      const text = formatCursor(cursor)
      givers.set(text, (givers.get(text) ?? new Set()).add(view))
    }
  }
  let checked = 0
  for (const [index, [text, from]] of [...givers].entries()) {
    const at = parseCursor(text)
    // Nothing follows the end: the gateway answers that there is nothing, and sends no frame for joining.
    if (at.seq === session.lastSeq && at.units === undefined) continue
    const understood = new Map<string, Promise<Understanding>>()
    for (const [turn, view] of views.entries()) {
      const whole = wholes.get(view)
      if (whole === undefined || !isChosen(index, turn, text)) continue
      checked += 1
      const { dialect } = view
      const before =
        understood.get(dialect.id) ??
        framesBefore(dialect, session, at).then((frames) =>
          understand(dialect, nothingUnderstood, { frames }),
        )
      understood.set(dialect.id, before)
      const resumed = await read(view, at, index + turn)
      const found =
        resumed === undefined
          ? 'a gap'
          : checkPair(view, whole, { at, isOwn: from.has(view), before: await before, read: resumed })
      const whose = [...from].map(({ name }) => name).slice(0, 3)
      if (found !== undefined) wrong.push(`${text} of ${whose.join(', ')}, read as ${view.name}: ${found}`)
    }
  }
  return { checked, cursors: [...givers.keys()], wrong }
}

interface Resumed {
  readonly at: Cursor
  /** The view gave the cursor out itself. */
  readonly isOwn: boolean
  /** What a reader of the view's dialect understands before the cursor. */
  readonly before: Understanding
  readonly read: Read
}

/** Describes the first fault of a view that is read from a cursor. */
function checkPair(view: View, whole: Whole, { at, isOwn, before, read }: Resumed): string | undefined {
  const { joining, frames } = read
  const { dialect } = view
  const joined = understand(dialect, before, { frames: joining, areForJoining: true })
  const content = contentOf(understand(dialect, joined, { frames }))
  if (content !== whole.content) return `other content: ${difference(whole.content, content)}`
  const place = withoutFrames(at)
  const early = frames.find(({ cursor }) => compareCursors(cursor, place) <= 0)
  if (early !== undefined) return `the frame ${formatCursor(early.cursor)} again`
  if (isOwn) {
    const expected = framesAfter(whole.read, at)
    const again = frames.find((frame, index) => !isSameFrame(frame, expected[index]))
    if (again !== undefined || frames.length !== expected.length)
      return `${frames.length} frames instead of ${expected.length}, the first other one ${again?.data.slice(0, 200)}`
  }
  return compareTails(toLines(whole.read.frames), toLines(frames), {
    isJoined: view.coalescing !== undefined,
  })
}

/** The frames of a view after one of its own cursors. */
function framesAfter({ frames, stops }: Read, at: Cursor): readonly OutFrame[] {
  const text = formatCursor(at)
  const index = frames.findLastIndex(({ cursor }) => formatCursor(cursor) === text)
  if (index >= 0) return frames.slice(index + 1)
  const stop = stops.find(({ cursor }) => formatCursor(cursor) === text)
  return frames.slice(stop?.count ?? 0)
}

function isSameFrame(a: OutFrame, b: OutFrame | undefined): boolean {
  return b !== undefined && a.data === b.data && formatCursor(a.cursor) === formatCursor(b.cursor)
}

/**
 * After the entry that a reader joined inside of, it gets the frames that all other readers get; where text is joined,
 * after the first frame that ends where one of theirs ends.
 */
function compareTails(
  whole: readonly string[],
  resumed: readonly string[],
  { isJoined }: { readonly isJoined: boolean },
): string | undefined {
  const cursorIn = (line: string | undefined): string | undefined => line?.slice(0, line.indexOf(' '))
  const known = new Map(whole.map((line, index) => [cursorIn(line), index]))
  const first = resumed.findIndex((line) => known.has(cursorIn(line)))
  if (first < 0) return resumed.length === 0 ? undefined : 'frames at places where no other reader has one'
  const start = known.get(cursorIn(resumed[first])) ?? 0
  const expected = whole.slice(start + 1)
  const found = resumed.slice(first + 1)
  for (let index = 0; index < Math.max(expected.length, found.length); index += 1)
    if (expected[index] !== found[index])
      return `${isJoined ? 'joined' : 'plain'} frames differ: ${found[index]?.slice(0, 200)} instead of ${expected[index]?.slice(0, 200)}`
  return undefined
}

/** The lines that only one of two texts has. */
function difference(expected: string, found: string): string {
  const [a, b] = [expected.split('\n'), found.split('\n')]
  const missing = a.filter((line) => !b.includes(line)).map((line) => line.slice(0, 160))
  const extra = b.filter((line) => !a.includes(line)).map((line) => line.slice(0, 160))
  return `missing ${JSON.stringify(missing.slice(0, 3))}, besides ${JSON.stringify(extra.slice(0, 3))}, ${a.length} and ${b.length} lines`
}
