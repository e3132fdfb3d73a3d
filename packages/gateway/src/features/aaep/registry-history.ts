import { type Cursor, formatCursor, parseCursor } from '@sluice/protocol'

/** Where a session stands. */
export interface Place extends Cursor {
  /** It is not introduced yet: so many events of its introduction were sent. */
  readonly introduced?: number
}

/** One event that went out on a subscription, and where its session stands behind it. */
export interface Emission {
  /** The event id. */
  readonly id: string
  readonly session: string
  readonly cursor: Place
}

/** Where each session stands. A session that nothing was sent of yet is not in it. */
export type Places = ReadonlyMap<string, Place>

/** How many emissions of a subscription can be taken up again, where nothing else is said. */
export const defaultRingSize = 4096

/** How many sessions have a place; of more, those that moved last. */
const maxPlaces = 16_384

type PlaceColumns = readonly [cursor: string] | readonly [cursor: string, introduced: number]
type PlaceRow = readonly [session: string, ...place: PlaceColumns]
type EmissionRow = readonly [id: string, session: string, ...place: PlaceColumns]

/** One record of a journal. */
export type JournalRecord =
  /** Forgets every emission; the sessions stand here. */
  | { readonly places: readonly PlaceRow[] }
  | { readonly sent: readonly EmissionRow[] }
  /** Forgets the emissions behind this one. */
  | { readonly rewind: string }

/** What the records of a journal come to. */
export interface History {
  /** How many of the emissions count. */
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

/** Where in the ring an emission is; -1 when it is not among the last ones. */
export function indexOf({ emissions, ringSize }: History, id: string): number {
  const index = emissions.findLastIndex((emission) => emission.id === id)
  return index < emissions.length - ringSize ? -1 : index
}

/** Where the sessions stood behind the first `count` emissions. */
export function placesBehind({ places, emissions }: History, count: number): Places {
  const moved = new Map(places)
  for (const { session, cursor } of emissions.slice(0, count)) {
    moved.delete(session) // so that those that moved last stand last
    moved.set(session, cursor)
  }
  return moved
}

/** The records of a journal that has the same ring, and nothing before it. */
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
