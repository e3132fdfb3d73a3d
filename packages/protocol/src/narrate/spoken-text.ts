const controls = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Text of others as one line that can be told: without control characters and without runs of white space. */
export function toSpokenLine(text: string): string {
  return text
    .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
    .replace(controls, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A line of code: its spaces and tabs stay. */
export function toSpokenCode(line: string): string {
  return line.replace(controls, (found) => (found === '\t' ? found : '')).trimEnd()
}
