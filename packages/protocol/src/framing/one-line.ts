/**
 * Removes the line breaks of a pretty-printed JSON text. Only for text that parses: valid JSON has raw line
 * breaks only between tokens, but a broken string would turn into another value here.
 */
export function toOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, '') : json
}
