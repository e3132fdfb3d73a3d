import type { Direction } from './entry.ts'
import type { EventKind } from './events.ts'
import { omitUndefined } from './omit-undefined.ts'
import type { OutlineCall, OutlineRow } from './outline.ts'

/** A part of the outline of a session: consecutive entries. */
export interface OutlinePage {
  readonly rows: readonly OutlineRow[]
  /** The last entry of the page, if the session had further ones: the next page starts after it. */
  readonly next?: number
  /** The last entry of the session when the page was made; -1 before the first. */
  readonly head: number
}

/** What most entries of a session share with others. */
export interface OutlineShape {
  readonly direction: Direction
  readonly kinds: readonly EventKind[]
  readonly level?: 'warning' | 'error'
}

/** A page on the wire (docs/http-api.md, The outline): row i is entry `from` + i. */
export interface EncodedOutline {
  readonly from: number
  readonly shapes: readonly OutlineShape[]
  /** Time, index of the shape, characters, findings, delay. */
  readonly rows: readonly (readonly [number, number, number, number, number | null])[]
  readonly calls: readonly (OutlineCall & { readonly seq: number })[]
  readonly next?: number
  readonly head: number
}

/** A page in few bytes: contains what rows share only once. */
export function encodeOutline({ rows, ...rest }: OutlinePage): EncodedOutline {
  const shapes: OutlineShape[] = []
  const places = new Map<string, number>()
  const placeOf = ({ direction, kinds, level }: OutlineRow): number => {
    const shape = omitUndefined({ direction, kinds, level })
    const key = JSON.stringify(shape)
    const place = places.get(key) ?? shapes.push(shape) - 1
    places.set(key, place)
    return place
  }
  return {
    from: rows[0]?.seq ?? rest.head + 1,
    shapes,
    rows: rows.map((row) => [row.at, placeOf(row), row.characters, row.findings, row.delayMs ?? null]),
    calls: rows.flatMap(({ seq, calls = [] }) => calls.map((call) => ({ seq, ...call }))),
    ...rest,
  }
}

/** A page that encodeOutline() did not make may name a shape that it lacks. */
const noShape: OutlineShape = { direction: 'event', kinds: [] }

/** The page that encodeOutline() was given. */
export function decodeOutline({ from, shapes, rows, calls, ...rest }: EncodedOutline): OutlinePage {
  const callsOf = new Map<number, OutlineCall[]>()
  for (const { seq, ...call } of calls) {
    const known = callsOf.get(seq)
    if (known === undefined) callsOf.set(seq, [call])
    else known.push(call)
  }
  return {
    rows: rows.map(([at, place, characters, findings, delayMs], index) => {
      const seq = from + index
      const { direction, kinds, level } = shapes[place] ?? noShape
      const own = callsOf.get(seq)
      return {
        seq,
        at,
        direction,
        kinds,
        characters,
        findings,
        ...omitUndefined({ level, calls: own }),
        ...(delayMs === null ? {} : { delayMs }),
      }
    }),
    ...rest,
  }
}
