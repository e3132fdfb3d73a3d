const visible = /\P{White_Space}/u
const space = /\p{White_Space}/u

/**
 * Without white space at both ends, as Unicode has it: U+0085 is some, U+FEFF is none, unlike in `trim()`.
 * In one pass, however much white space there is.
 */
export function trimWhiteSpace(text: string): string {
  const start = text.search(visible)
  if (start < 0) return ''
  let end = text.length
  while (space.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
