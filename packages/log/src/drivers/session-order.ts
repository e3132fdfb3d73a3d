import type { ListPlace } from '../log.ts'

/** The reverse of the order in which sessions are listed: oldest first. */
export function comparePlaces(a: ListPlace, b: ListPlace): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt
  return a.session < b.session ? -1 : a.session > b.session ? 1 : 0
}

/** How many of `places`, which are oldest first, come before `place`. */
export function countBefore(places: readonly ListPlace[], place: ListPlace): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = places[middle]
    if (at !== undefined && comparePlaces(at, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Inserts in order; at the end, where a session that begins now belongs, this is a push. */
export function insertPlace(places: ListPlace[], { createdAt, session }: ListPlace): void {
  const place = { createdAt, session }
  places.splice(countBefore(places, place), 0, place)
}

export function removePlace(places: ListPlace[], place: ListPlace): void {
  const index = countBefore(places, place)
  const found = places[index]
  if (found !== undefined && comparePlaces(found, place) === 0) places.splice(index, 1)
}
