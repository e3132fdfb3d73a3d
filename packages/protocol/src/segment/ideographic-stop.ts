/**
 * 。 and its halfwidth form: neither a decimal point nor an abbreviation, and never doubled, so no white space
 * must follow.
 */
export function isIdeographicStop(unit: number): boolean {
  return unit === 0x3002 || unit === 0xff61
}

/** Whether a bracket or quotation that opened in the 256 units before `end` is not closed yet. */
export function isBracketOpen(text: string, end: number): boolean {
  let closed = 0
  let quotes = 0
  for (let index = end - 1; index >= Math.max(0, end - 256); index--) {
    const unit = text.charCodeAt(index)
    if (unit > 0x301b && unit < 0xff08) continue
    const char = text.charAt(index)
    if (char === '"') quotes++
    else if (closingMarks.includes(char)) closed++
    else if (openingMarks.includes(char) && closed-- === 0) return true
  }
  return quotes % 2 === 1
}

const openingMarks = '「『（【《〈［｛“‘(['
const closingMarks = '」』）】》〉］｝”’)]'
