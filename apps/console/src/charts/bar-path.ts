const gap = 0.1

/**
 * The outline of one bar per value, in a box 100 high and as wide as there are values; only values above zero
 * have a bar.
 */
export function barPath(values: ArrayLike<number>, peak: number): string {
  let path = ''
  if (!(peak > 0)) return path
  for (let index = 0; index < values.length; index++) {
    const share = (values[index] ?? 0) / peak
    if (!(share > 0)) continue
    // One in a hundred thousand must still be visible.
    const height = Math.round(Math.min(100, Math.max(2, share * 100)) * 10) / 10
    path += `M${index + gap} 100V${Math.round((100 - height) * 10) / 10}H${index + 1 - gap}V100Z`
  }
  return path
}
