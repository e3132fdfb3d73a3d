/** The number of Unicode code points in `text`; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  // V8 answers this test without reading the characters if the string is stored as Latin-1.
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let pairs = 0
  for (let index = 1; index < text.length; index++) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) pairs++
  }
  return text.length - pairs
}

/** The UTF-16 index after the first `count` code points of `text`, or the text's length if it has fewer. */
export function indexOfCodePoint(text: string, count: number): number {
  let index = 0
  for (let seen = 0; seen < count && index < text.length; seen++) index = nextCodePoint(text, index)
  return index
}

/** The UTF-16 index after the code point that starts at `index`. */
export function nextCodePoint(text: string, index: number): number {
  const isPair = isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))
  return index + (isPair ? 2 : 1)
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
