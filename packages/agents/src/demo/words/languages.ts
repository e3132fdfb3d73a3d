import { ar } from './ar.ts'
import { de } from './de.ts'
import type { DemoWords } from './demo-words.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { zh } from './zh.ts'

/** By its tag of BCP 47. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'ar' | 'ja' | 'zh'

export interface DemoLanguage {
  readonly words: DemoWords
  /** What a prompt may call it, in lower case. */
  readonly names: readonly string[]
  /** What a prompt in this language has, and in those behind it in the list has not. */
  readonly script?: RegExp
}

/** In the order in which a prompt is compared with them: programmers of every language write `test`. */
export const demoLanguages: Readonly<Record<Language, DemoLanguage>> = {
  de: { words: de, names: ['german', 'deutsch', 'alemán', 'allemand'] },
  es: { words: es, names: ['spanish', 'spanisch', 'español', 'espagnol'] },
  fr: { words: fr, names: ['french', 'französisch', 'francés', 'français'] },
  ar: { words: ar, names: ['arabic', 'arabisch', 'العربية', 'بالعربية'], script: /\p{Script=Arabic}/u },
  ja: {
    words: ja,
    names: ['japanese', 'japanisch', '日本語'],
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  },
  zh: { words: zh, names: ['chinese', 'chinesisch', '中文'], script: /\p{Script=Han}/u },
  en: { words: en, names: ['english', 'englisch', 'inglés', 'anglais'] },
}
