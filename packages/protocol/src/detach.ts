/** A copy of a text. A slice keeps the whole text in memory that it was cut from; a copy does not. */
export function detach(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string // the inverse
}
