const gap = 0.1

/** The outline of one bar for each value, in a box as wide as there are values and 100 high; what is not above zero has none. */
export function barPath(values: ArrayLike<number>, peak: number): string {
  let path = ''
  if (!(peak > 0)) return path
  for (let index = 0; index < values.length; index++) {
    const share = (values[index] ?? 0) / peak
    if (!(share > 0)) continue
    // One in a hundred thousand must still be seen.
    const height = Math.round(Math.min(100, Math.max(2, share * 100)) * 10) / 10
    path += `M${index + gap} 100V${Math.round((100 - height) * 10) / 10}H${index + 1 - gap}V100Z`
  }
  return path
}
