/** The prefix and this number of random hexadecimal digits. */
export function randomId(prefix: string, digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2)))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${prefix}${hex.slice(0, digits)}`
}
