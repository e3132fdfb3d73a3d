/** Scripts that put no space between words: a piece of them is short. */
const dense = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}'
const piece = new RegExp(`\\s*(?:[${dense}]{1,2}|[^\\s${dense}]{1,6})|\\s+`, 'gu')

/** A text in the pieces in which a model would write it. Together they are the text; none cuts through a character. */
export function toPieces(text: string): readonly string[] {
  return text.match(piece) ?? []
}
