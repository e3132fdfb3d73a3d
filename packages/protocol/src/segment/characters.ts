/** White space at which a line may break; the no-break spaces are glue and do not count. */
export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  if (unit >= 0x2000 && unit <= 0x200a) return unit !== 0x2007
  return (
    unit === 0x85 ||
    unit === 0x1680 ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x205f ||
    unit === 0x3000
  )
}

/** The no-break spaces. */
export function isGlue(unit: number): boolean {
  return unit === 0xa0 || unit === 0x2007 || unit === 0x202f
}

export function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x85 || unit === 0x2028 || unit === 0x2029
}

/**
 * The number of lines that end in `text` between two indexes; CR LF is one end, a paragraph separator is two.
 */
export function countLineEnds(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0x0a && index > from && text.charCodeAt(index - 1) === 0x0d) continue
    if (isLineEnd(unit)) count += unit === 0x2029 ? 2 : 1
  }
  return count
}

/** The index after the last unit before `end` that is not white space. */
export function trimSpaceBefore(text: string, end: number): number {
  let index = end
  while (index > 0 && isSpace(text.charCodeAt(index - 1))) index--
  return index
}

/**
 * Closing brackets, quotation marks of both directions (German closes with “) and Markdown's emphasis marks.
 */
export function isCloser(unit: number): boolean {
  if (unit < 0x80) return asciiClosers.includes(String.fromCharCode(unit))
  return /[\p{Pe}\p{Pf}\p{Pi}]/u.test(String.fromCharCode(unit))
}

export function isOpener(unit: number): boolean {
  if (unit < 0x80) return asciiOpeners.includes(String.fromCharCode(unit))
  return /[\p{Ps}\p{Pf}\p{Pi}¿¡]/u.test(String.fromCharCode(unit))
}

/** Thai and Lao letters and vowel signs: only a space separates their phrases. */
export function endsPhrase(unit: number): boolean {
  if (unit < 0x0e01 || unit > 0x0edf) return false
  // Paiyannoi (abbreviation) and the repetition marks are followed by a space within a phrase.
  if (unit === 0x0e2f || unit === 0x0e46 || unit === 0x0eaf || unit === 0x0ec6) return false
  return /[\p{L}\p{M}]/u.test(String.fromCharCode(unit))
}

/** Scripts without spaces between words. */
export function isUnspaced(unit: number): boolean {
  if (unit < 0x0e00) return false
  return /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\uff01-\uff0f\uff1a-\uff1f]/u.test(
    String.fromCharCode(unit),
  )
}

const asciiClosers = ')]}"\'*_`~'
const asciiOpeners = '([{"\'*_`~'
