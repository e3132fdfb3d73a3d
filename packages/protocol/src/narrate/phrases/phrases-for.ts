import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { NarrationPhrases } from './narration-phrases.ts'
import { zh } from './zh.ts'

/** Every language in which the narrator has phrases. */
export const narrationLanguages: readonly NarrationPhrases[] = [en, es, fr, de, ar, zh]

/**
 * The phrases of the first wanted language that is available, by its primary subtag; English if there is
 * none.
 */
export function narrationPhrasesFor(wanted: readonly string[]): NarrationPhrases {
  for (const tag of wanted) {
    const primary = tag.split('-', 1)[0]?.toLowerCase()
    const found = narrationLanguages.find(({ language }) => language === primary)
    if (found !== undefined) return found
  }
  return en
}
