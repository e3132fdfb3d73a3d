/** Scripts without spaces between words: their pieces are short. */
const dense = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}'
const piece = new RegExp(`\\s*(?:[${dense}]{1,2}|[^\\s${dense}]{1,6})|\\s+`, 'gu')

/**
 * Cuts a text into pieces as a model would write them. Joined they are the text; no piece splits a character.
 */
export function toPieces(text: string): readonly string[] {
  return text.match(piece) ?? []
}
