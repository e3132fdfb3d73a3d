/**
 * Limits the values of a label: returns those of `known` and the first `maxNew` others as they are, and
 * `other` for the rest. Monitoring pays for every value that a label ever had.
 */
export function createLabelBound(known: readonly string[], maxNew = 0): (value: string) => string {
  const kept = new Set(known)
  const maxKept = kept.size + maxNew
  return (value) => {
    if (!kept.has(value) && kept.size < maxKept) kept.add(value)
    return kept.has(value) ? value : 'other'
  }
}
