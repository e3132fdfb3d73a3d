/** The weight of a JSON value: about the length of its text. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 8
  let sum = 2
  if (Array.isArray(value)) for (const item of value) sum += weigh(item) + 1
  else for (const [key, member] of Object.entries(value)) sum += key.length + weigh(member) + 4
  return sum
}
