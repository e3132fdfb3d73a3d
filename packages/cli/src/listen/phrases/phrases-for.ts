import { narrationPhrasesFor } from '@sluice/protocol/narrate'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { KeyPhrases, ListenPhrases } from './key-phrases.ts'
import { zh } from './zh.ts'

const keyPhrases: readonly KeyPhrases[] = [en, es, fr, de, ar, zh]

/** Every language that `sluice listen` speaks itself. */
export const listenLanguages: readonly ListenPhrases[] = keyPhrases.map(addNarration)

/** The phrases of the first wanted language that there is, by its primary subtag; English if there is none. */
export function phrasesFor(wanted: readonly string[]): ListenPhrases {
  const { language } = narrationPhrasesFor(wanted)
  return listenLanguages.find((phrases) => phrases.language === language) ?? addNarration(en)
}

function addNarration(keys: KeyPhrases): ListenPhrases {
  const narration = narrationPhrasesFor([keys.language])
  return { ...narration, ...keys, reviewed: narration.reviewed && keys.reviewed }
}
