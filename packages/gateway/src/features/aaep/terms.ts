import { type AaepMessage, toCompactAaepType } from '@sluice/protocol/dialects'
import type { Boundary } from '@sluice/protocol/segment'

/** The capabilities of a subscription in their wire form (AAEP §5). */
export type Capabilities = AaepMessage<'subscription.request'>['capabilities']

/** The terms of a subscription, with every capability filled in (AAEP §5). */
export interface Terms {
  /** Undefined: as fast as events arrive. */
  readonly maxEventsPerSecond: number | undefined
  readonly verbosity: 'terse' | 'normal' | 'detailed'
  /** The requested languages, best first. */
  readonly languages: readonly string[]
  readonly canConfirm: boolean
  readonly canClarify: boolean
  /** Where text may be cut; never empty. */
  readonly boundaries: readonly TextBoundary[]
  readonly filters: EventFilters
  readonly load: 'low' | 'medium' | 'high'
  readonly paceWpm: number | undefined
}

export type TextBoundary = Boundary | 'completion'

/** Types of events: literal, or with `*` at the end. Exclude wins; critical events always pass. */
export interface EventFilters {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** The terms of a subscription without capabilities (AAEP §5.2). */
export const defaultTerms: Terms = {
  maxEventsPerSecond: undefined,
  verbosity: 'normal',
  languages: ['en-US'],
  canConfirm: false,
  canClarify: false,
  boundaries: ['sentence', 'completion'],
  filters: { include: ['aaep:agent.*'], exclude: [] },
  load: 'medium',
  paceWpm: undefined,
}

/** The terms for honoured capabilities; absent ones get AAEP's default. */
export function toTerms(honored: Capabilities): Terms {
  const filters = honored.event_filters
  return {
    maxEventsPerSecond: honored.max_events_per_second,
    verbosity: honored.preferred_verbosity ?? defaultTerms.verbosity,
    languages: honored.languages ?? defaultTerms.languages,
    canConfirm: honored.supports_confirmation_reply ?? defaultTerms.canConfirm,
    canClarify: honored.supports_clarification_reply ?? defaultTerms.canClarify,
    boundaries: honored.coalesce_boundaries ?? defaultTerms.boundaries,
    filters: {
      include: filters?.include?.map(toCompactAaepType) ?? defaultTerms.filters.include,
      exclude: filters?.exclude?.map(toCompactAaepType) ?? defaultTerms.filters.exclude,
    },
    load: honored.cognitive_load ?? defaultTerms.load,
    paceWpm: honored.pace_wpm,
  }
}
