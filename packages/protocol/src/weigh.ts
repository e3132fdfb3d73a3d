/** The weight of a JSON value: about the length of its text. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 8
  let sum = 2
  if (Array.isArray(value)) for (const item of value) sum += weigh(item) + 1
  else for (const [key, member] of Object.entries(value)) sum += key.length + weigh(member) + 4
  return sum
}

/** About the bytes of memory that a small record takes in a table or a list. */
export const rowBytes = 256

/** At most the bytes of memory that a text takes. */
export function weighText(text: string | undefined): number {
  // A text that grew by pieces keeps every piece, up to 32 bytes for a character, until one of its units is read.
  return text === undefined || Number.isNaN(text.charCodeAt(0)) ? 0 : text.length * 2
}
