import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { ListenPhrases } from './listen-phrases.ts'
import { zh } from './zh.ts'

/** Every language that `sluice listen` speaks itself. */
export const listenLanguages: readonly ListenPhrases[] = [en, es, fr, de, ar, zh]

/** The phrases of the first wanted language that there is, by its primary subtag; English if there is none. */
export function phrasesFor(wanted: readonly string[]): ListenPhrases {
  for (const tag of wanted) {
    const primary = tag.split('-', 1)[0]?.toLowerCase()
    const found = listenLanguages.find(({ language }) => language === primary)
    if (found !== undefined) return found
  }
  return en
}
