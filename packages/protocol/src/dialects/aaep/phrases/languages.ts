import { allPhrases } from '../phrases.generated.ts'
import { matchLanguage } from './match-language.ts'
import type { AaepPhrases } from './schema.ts'

export const englishPhrases: AaepPhrases = allPhrases[0]

/** The languages in which Sluice has sentences, English first. */
export const aaepLanguages: readonly string[] = allPhrases.map(({ language }) => language)

/** The sentences in the language closest to `languages`, best first; English if none is close. */
export function aaepPhrasesFor(languages: readonly string[]): AaepPhrases {
  const language = matchLanguage(languages, aaepLanguages)
  return allPhrases.find((phrases) => phrases.language === language) ?? englishPhrases
}
