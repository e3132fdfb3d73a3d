/**
 * Removes the line breaks of a pretty-printed JSON text. Only for text that parses: valid JSON has raw line
 * breaks between tokens alone, but a broken string would be mended here into another value.
 */
export function toOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, '') : json
}
