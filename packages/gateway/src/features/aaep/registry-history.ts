import { type Cursor, formatCursor, parseCursor } from '@sluice/protocol'

/** A place in a session. */
export interface Place extends Cursor {
  /** Set while the session is being introduced: how many events of its introduction were sent. */
  readonly introduced?: number
}

/** One event that was sent on a subscription, and the place in its session after it. */
export interface Emission {
  /** The event id. */
  readonly id: string
  readonly session: string
  readonly cursor: Place
}

/** The place in each session. Sessions of which nothing was sent yet are missing. */
export type Places = ReadonlyMap<string, Place>

/** How many emissions of a subscription can be resumed after, by default. */
export const defaultRingSize = 4096

/** How many sessions keep their place: those that moved last. */
const maxPlaces = 16_384

type PlaceColumns = readonly [cursor: string] | readonly [cursor: string, introduced: number]
type PlaceRow = readonly [session: string, ...place: PlaceColumns]
type EmissionRow = readonly [id: string, session: string, ...place: PlaceColumns]

/** One record of a journal. */
export type JournalRecord =
  /** Forgets every emission; the sessions are at these places. */
  | { readonly places: readonly PlaceRow[] }
  | { readonly sent: readonly EmissionRow[] }
  /** Forgets the emissions after this one. */
  | { readonly rewind: string }

/** The result of replaying a journal. */
export interface History {
  /** How many of the last emissions are kept. */
  readonly ringSize: number
  places: Places
  emissions: Emission[]
  records: number
}

export function createHistory(ringSize: number): History {
  return { ringSize, places: new Map(), emissions: [], records: 0 }
}

/** Applies the next record of the journal. */
export function replay(history: History, record: JournalRecord): void {
  history.records += 1
  if ('places' in record) {
    history.places = new Map(record.places.map(([session, ...place]) => [session, toPlace(place)]))
    history.emissions = []
  } else if ('sent' in record) {
    for (const [id, session, ...place] of record.sent)
      history.emissions.push({ id, session, cursor: toPlace(place) })
  } else history.emissions.length = indexOf(history, record.rewind) + 1
}

/** The index of an emission; -1 when it is not among the last `ringSize`. */
export function indexOf({ emissions, ringSize }: History, id: string): number {
  const index = emissions.findLastIndex((emission) => emission.id === id)
  return index < emissions.length - ringSize ? -1 : index
}

/** The places of the sessions after the first `count` emissions. */
export function placesBehind({ places, emissions }: History, count: number): Places {
  const moved = new Map(places)
  for (const { session, cursor } of emissions.slice(0, count)) {
    moved.delete(session) // so that the sessions that moved last come last
    moved.set(session, cursor)
  }
  return moved
}

/** A short journal with the same ring and the places before it. */
export function toCompact(history: History): readonly JournalRecord[] {
  const { emissions, ringSize } = history
  const first = Math.max(0, emissions.length - ringSize)
  return [toPlacesRecord(placesBehind(history, first)), toSentRecord(emissions.slice(first))]
}

export function toPlacesRecord(places: Places): JournalRecord {
  const rows = [...places].slice(-maxPlaces)
  return { places: rows.map(([session, place]) => [session, ...fromPlace(place)]) }
}

export function toSentRecord(emissions: readonly Emission[]): JournalRecord {
  return { sent: emissions.map(({ id, session, cursor }) => [id, session, ...fromPlace(cursor)]) }
}

function toPlace([cursor, introduced]: PlaceColumns): Place {
  return introduced === undefined ? parseCursor(cursor) : { ...parseCursor(cursor), introduced }
}

function fromPlace(place: Place): PlaceColumns {
  const cursor = formatCursor(place)
  return place.introduced === undefined ? [cursor] : [cursor, place.introduced]
}
