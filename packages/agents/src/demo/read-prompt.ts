import { demoLanguages, type Language } from './words/languages.ts'

/** What a prompt asks the demo for. */
export interface DemoRequest {
  readonly story: 'trip' | 'fix' | 'long'
  readonly language: Language
  readonly speed: 'slow' | 'normal' | 'fast'
  /** It fails half-way. */
  readonly fails: boolean
  /** It asks nobody. */
  readonly isQuiet: boolean
}

/** Reads the words of a prompt that mean something here, in any order and case. Anything is a request. */
export function readPrompt(prompt: string): DemoRequest {
  const lower = prompt.toLowerCase()
  const has = (word: string): boolean => hasWord(lower, word)
  const named = /demo:\s*language\s+([a-z]{2})\b/.exec(lower)?.[1]
  const languages = Object.entries(demoLanguages) as [Language, (typeof demoLanguages)[Language]][] // its own keys
  const language =
    languages.find(([tag]) => tag === named) ??
    languages.find(([, { names }]) => names.some(has)) ??
    languages.find(([, { script }]) => script?.test(prompt) === true) ??
    languages.find(([, { words }]) => [...words.tripWords, ...words.fixWords].some(has))
  const isFix = languages.some(([, { words }]) => words.fixWords.some(has))
  return {
    story: has('long') ? 'long' : isFix ? 'fix' : 'trip',
    language: language?.[0] ?? 'en',
    speed: has('fast') ? 'fast' : has('slow') ? 'slow' : 'normal',
    fails: has('fail'),
    isQuiet: has('quiet'),
  }
}

/** Scripts without spaces have no boundaries to look for. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (unspaced.test(word) || (!isLetter(text[at - 1]) && !isLetter(text[at + word.length]))) return true
  return false
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character)
}
