import { fill, type Utterance } from '@sluice/protocol/narrate'
import type { ListenPhrases } from './phrases/key-phrases.ts'

/**
 * Announces as a quotation any session text that imitates this command's own questions and answers. Otherwise
 * an agent could trick a person into pressing y for something else.
 */
export function quoteImitations(
  utterances: readonly Utterance[],
  phrases: ListenPhrases,
): readonly Utterance[] {
  return utterances.map((utterance) =>
    utterance.question === undefined && isImitation(utterance.text, phrases)
      ? { ...utterance, text: fill(phrases.quote, { text: utterance.text }) }
      : utterance,
  )
}

function isImitation(text: string, phrases: ListenPhrases): boolean {
  const plain = toPlain(text)
  const heads = [phrases.question, phrases.nextQuestion, phrases.sent, phrases.notSent, 'sluice:']
  const isHead = heads.some((head) => startsLike(plain, head))
  return isHead || keySentences.some((name) => plain.includes(toPlain(phrases[name])))
}

/** Sentences that say what a key does, or did. */
const keySentences = [
  'pressAcceptReject',
  'pressYesNo',
  'pressNumber',
  'pressToType',
  'pressToTypeNumber',
  'typeNow',
  'sentAlready',
  'notCounted',
  'nothingSent',
  'closedMeanwhile',
  'notAnAnswer',
  'noQuestion',
] as const satisfies readonly (keyof ListenPhrases)[]

/** Whether the text begins with the part of the phrase before its first placeholder. */
function startsLike(plain: string, phrase: string): boolean {
  const head = toPlain(phrase.split('{', 1)[0] ?? '')
  return head !== '' && plain.startsWith(head)
}

/** The text as it sounds: without case, width variants and invisible characters. */
function toPlain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}
