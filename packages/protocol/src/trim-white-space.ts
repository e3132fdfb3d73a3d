const visible = /\P{White_Space}/u
const space = /\p{White_Space}/u

/**
 * Trims white space as Unicode defines it: unlike `trim()`, removes U+0085 and keeps U+FEFF. Takes one pass,
 * however much white space there is.
 */
export function trimWhiteSpace(text: string): string {
  const start = text.search(visible)
  if (start < 0) return ''
  let end = text.length
  while (space.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
