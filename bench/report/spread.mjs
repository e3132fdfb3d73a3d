export function medianOf(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The number below which the share `share` of `sorted` lies. */
export function quantileOf(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** `median (least–greatest)`. */
export function formatSpread(values, digits = 2) {
  const text = (value) => formatNumber(value, digits)
  if (values.length === 1) return text(values[0])
  return `${text(medianOf(values))} (${text(Math.min(...values))}–${text(Math.max(...values))})`
}

/** A number with its thousands grouped. */
export function formatNumber(value, digits = 0) {
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
}
