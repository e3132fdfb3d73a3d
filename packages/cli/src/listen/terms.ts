import type { AaepTerms } from '@sluice/client'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import type { Verbosity } from '@sluice/protocol/narrate'
import { type CommandArgs, stringValue, stringValues } from '../command.ts'

/** What a listener asked for on the command line. */
export interface ListenWish {
  readonly rateWpm: number | undefined
  readonly verbosity: Verbosity
  /** English when none was named. */
  readonly languages: readonly string[]
  readonly load: 'low' | 'medium' | 'high' | undefined
  readonly from: 'start' | 'now'
}

/** Reads the options, or throws `usage` with a sentence that names the mistake. */
export function readWish(args: CommandArgs): ListenWish {
  const languages = stringValues(args, 'language')
  for (const tag of languages)
    if (!isLanguage(tag))
      throw new SluiceError('usage', { message: '--language needs a language tag such as en or pt-BR.' })
  if (languages.length > maxLanguages)
    throw new SluiceError('usage', { message: `--language can be given at most ${maxLanguages} times.` })
  // The choices of these options were checked with the arguments.
  return {
    rateWpm: readRate(stringValue(args, 'rate')),
    verbosity: (stringValue(args, 'verbosity') ?? 'normal') as Verbosity,
    languages: languages.length === 0 ? ['en'] : [...new Set(languages)],
    load: stringValue(args, 'load') as ListenWish['load'],
    from: (stringValue(args, 'from') ?? 'start') as ListenWish['from'],
  }
}

const maxLanguages = 32

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** AAEP §5: from 50 to 1000 words a minute. */
function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const rate = Number(text)
  if (/^\d+$/.test(text) && rate >= 50 && rate <= 1000) return rate
  throw new SluiceError('usage', { message: '--rate is a whole number from 50 to 1000, in words a minute.' })
}

/** The same as terms of a subscription. */
export function toTerms(
  { rateWpm, verbosity, languages, load }: ListenWish,
  { canAnswer }: { readonly canAnswer: boolean },
): AaepTerms {
  return {
    preferred_verbosity: verbosity,
    languages: [...languages],
    coalesce_boundaries: ['sentence', 'paragraph', 'completion'],
    event_filters: {
      include: ['aaep:agent.*', 'sluice:notice', 'sluice:part-add', 'sluice:sources'],
      exclude: [],
    },
    supports_confirmation_reply: canAnswer,
    supports_clarification_reply: canAnswer,
    supported_conformance_levels: canAnswer ? [1, 2, 3] : [1],
    ...omitUndefined({ cognitive_load: load, pace_wpm: rateWpm }),
  }
}
