import type { AaepTerms } from '@sluice/client'
import { omitUndefined } from '@sluice/protocol'
import type { Verbosity } from '@sluice/protocol/narrate'

/** What a listener wants to hear, and at what pace. */
export interface AnnouncementTerms {
  readonly verbosity: Verbosity
  /** Words per minute, limited to 50 to 1000. Without it, texts arrive as they are written. */
  readonly rateWpm?: number | undefined
  /** BCP 47, in order of preference; invalid tags are ignored. */
  readonly languages: readonly string[]
  /** How much the listener can take in; `low` omits background events. */
  readonly load?: 'low' | 'medium' | 'high' | undefined
}

const maxLanguages = 32
/** AAEP §5: the slowest and the fastest. */
const [slowestWpm, fastestWpm] = [50, 1000]

/** The terms of a subscription that only listens: answers are given elsewhere. */
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
    ...omitUndefined({ cognitive_load: wanted.load, pace_wpm: paceWpm }),
  }
}

/** The terms to renegotiate. A rate cannot be withdrawn, so no rate becomes the fastest one. */
export function toChangedTerms(wanted: AnnouncementTerms, before: AnnouncementTerms): AaepTerms {
  const paceWpm = toPace(wanted.rateWpm) ?? (before.rateWpm === undefined ? undefined : fastestWpm)
  return omitUndefined({
    preferred_verbosity: wanted.verbosity,
    languages: toLanguages(wanted.languages),
    cognitive_load: wanted.load ?? 'medium',
    pace_wpm: paceWpm,
  })
}

/** Whether both request the same terms. */
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
