import { defaultTerms, type EventFilters } from './terms.ts'

/** How many patterns each list of a filter may hold. */
const maxPatterns = 256

/** The fault in the filters of a request, as a sentence; undefined when they can be honoured. */
export function filterFault(filters: Partial<EventFilters>): string | undefined {
  const { include = defaultTerms.filters.include, exclude = [] } = filters
  if (include.length > maxPatterns || exclude.length > maxPatterns)
    return `A list of event_filters holds at most ${maxPatterns} patterns.`
  if ([...include, ...exclude].some((pattern) => pattern.slice(0, -1).includes('*')))
    return 'A pattern of event_filters has * at its end only.'
  // Filters for critical events alone are honoured when explicit, and rejected when they look like a mistake.
  const isMeant = include.length === 0 || exclude.includes('*')
  if (!isMeant && include.every((pattern) => exclude.some((other) => covers(other, pattern))))
    return 'event_filters exclude all that they include. For critical events alone, include an empty list.'
  return undefined
}

/** Whether events of a type pass the filters. The caller exempts critical events. */
export function passesFilters(type: string, { include, exclude }: EventFilters): boolean {
  return include.some((pattern) => covers(pattern, type)) && !exclude.some((pattern) => covers(pattern, type))
}

export function isSameFilters(a: EventFilters, b: EventFilters): boolean {
  return JSON.stringify([a.include, a.exclude]) === JSON.stringify([b.include, b.exclude])
}

/** Whether `wide` matches everything that `pattern` matches. */
function covers(wide: string, pattern: string): boolean {
  return wide.endsWith('*') ? pattern.startsWith(wide.slice(0, -1)) : pattern === wide
}
