import { type Corrections, corrections, ordinalLanguages, rootCorrections } from './corrections.ts'
import { suppressions } from './suppressions.generated.ts'

export interface LanguageRules {
  /**
   * Abbreviations in NFC, with their full stop, as in `Corrections`; `words` override `doubtful` ones, which
   * override `suppressed` ones.
   */
  readonly words: ReadonlySet<string>
  readonly doubtful: ReadonlySet<string>
  readonly suppressed: ReadonlySet<string>
  /** A number of one or two digits and a full stop is an ordinal. */
  readonly hasOrdinals: boolean
  /** A semicolon asks a question (CLDR's tailoring for Greek). */
  readonly semicolonAsks: boolean
  /** The Latin full stop is a pause; Armenian sentences end with ։. */
  readonly periodPauses: boolean
  /** Quotation marks have white space inside them (« Oui. »). */
  readonly spacesQuotes: boolean
}

/**
 * The sentence rules for a BCP 47 tag, by its primary language. A language without data gets the root rules;
 * no language, `und` or a malformed tag gets those of English.
 */
export function languageRulesOf(tag: string | undefined): LanguageRules {
  return rules.get(primaryLanguage(tag)) ?? rootRules
}

/** The primary language of a tag in lower case; `en` if there is none. */
export function primaryLanguage(tag: string | undefined): string {
  const language = tag === undefined ? undefined : /^[a-z]{2,8}(?=$|[-_])/i.exec(tag)?.[0].toLowerCase()
  return language === undefined || language === 'und' ? 'en' : language
}

function createRules(language: string, cldr: string, own: Corrections): LanguageRules {
  const listed = toSet(cldr, own.suppressed)
  const doubtfulEverywhere = [...toSet(rootCorrections.doubtful)].filter((entry) => !listed.has(entry))
  return {
    words: toSet(own.words),
    doubtful: new Set([...doubtfulEverywhere, ...toSet(own.doubtful)]),
    suppressed: new Set([...toSet(rootCorrections.suppressed), ...listed]),
    hasOrdinals: ordinalLanguages.has(language),
    semicolonAsks: language === 'el',
    periodPauses: language === 'hy',
    spacesQuotes: language === 'fr',
  }
}

function toSet(...lists: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(
    lists.flatMap(
      (list) =>
        list
          ?.normalize('NFC')
          .split('|')
          .filter((entry) => entry !== '') ?? [],
    ),
  )
}

const rootRules = createRules('und', '', {})
const cldrByLanguage = new Map(suppressions)
const ownByLanguage = new Map(corrections)
const rules: ReadonlyMap<string, LanguageRules> = new Map(
  [...new Set([...cldrByLanguage.keys(), ...ownByLanguage.keys(), ...ordinalLanguages, 'hy'])].map(
    (language) => [
      language,
      createRules(language, cldrByLanguage.get(language) ?? '', ownByLanguage.get(language) ?? {}),
    ],
  ),
)
