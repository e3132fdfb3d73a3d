/** A whole number in groups of three digits, such as `1 240`, with non-breaking spaces. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return 'unknown'
  const rounded = Math.round(value)
  const digits = String(Math.abs(rounded)).replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return rounded < 0 ? `\u2212${digits}` : digits
}

/** A number with its noun, such as `1 event` and `1 240 events`. */
export function formatCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`
}
