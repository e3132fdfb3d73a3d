import type { AaepTerms } from '@sluice/client'
import type { Verbosity } from '@sluice/protocol/narrate'

/** How a listener wants to be told. */
export interface AnnouncementTerms {
  readonly verbosity: Verbosity
  /** Words a minute, brought into the bounds of 50 and 1000. Without it texts come as they are written. */
  readonly rateWpm?: number | undefined
  /** BCP 47, the best first; what is no language tag is left out. */
  readonly languages: readonly string[]
  /** How much the listener can take; low leaves out what is in the background. */
  readonly load?: 'low' | 'medium' | 'high' | undefined
}

const maxLanguages = 32
/** AAEP §5: the slowest and the fastest. */
const [slowestWpm, fastestWpm] = [50, 1000]

/** The terms of a subscription that only listens: whoever answers does so elsewhere. */
export function toTerms(wanted: AnnouncementTerms): AaepTerms {
  const paceWpm = toPace(wanted.rateWpm)
  return {
    preferred_verbosity: wanted.verbosity,
    languages: toLanguages(wanted.languages),
    coalesce_boundaries: ['sentence', 'paragraph', 'completion'],
    event_filters: {
      include: ['aaep:agent.*', 'sluice:notice', 'sluice:part-add', 'sluice:sources'],
      exclude: [],
    },
    supports_confirmation_reply: false,
    supports_clarification_reply: false,
    supported_conformance_levels: [1],
    ...(wanted.load === undefined ? {} : { cognitive_load: wanted.load }),
    ...(paceWpm === undefined ? {} : { pace_wpm: paceWpm }),
  }
}

/** What is to be asked for anew. A rate cannot be taken back, so none at all is the fastest. */
export function toChangedTerms(wanted: AnnouncementTerms, before: AnnouncementTerms): AaepTerms {
  const paceWpm = toPace(wanted.rateWpm) ?? (before.rateWpm === undefined ? undefined : fastestWpm)
  return {
    preferred_verbosity: wanted.verbosity,
    languages: toLanguages(wanted.languages),
    cognitive_load: wanted.load ?? 'medium',
    ...(paceWpm === undefined ? {} : { pace_wpm: paceWpm }),
  }
}

/** Whether both ask for the same. */
export function isSameTerms(a: AnnouncementTerms, b: AnnouncementTerms): boolean {
  return (
    a.verbosity === b.verbosity &&
    a.rateWpm === b.rateWpm &&
    a.load === b.load &&
    a.languages.join() === b.languages.join()
  )
}

function toPace(rateWpm: number | undefined): number | undefined {
  if (rateWpm === undefined || Number.isNaN(rateWpm)) return undefined
  return Math.round(Math.min(fastestWpm, Math.max(slowestWpm, rateWpm)))
}

function toLanguages(tags: readonly string[]): string[] {
  const known = [...new Set(tags)].filter(isLanguage).slice(0, maxLanguages)
  return known.length === 0 ? ['en'] : known
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
