const controls = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/**
 * Somebody else's text as one line for speech: without control characters and without runs of white space.
 */
export function toSpokenLine(text: string): string {
  return text
    .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
    .replace(controls, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A line of code: keeps its spaces and tabs. */
export function toSpokenCode(line: string): string {
  return line.replace(controls, (found) => (found === '\t' ? found : '')).trimEnd()
}
