/** The text with ordinary spaces in place of non-breaking ones, so that a test can spell it. */
export function plainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ')
}
