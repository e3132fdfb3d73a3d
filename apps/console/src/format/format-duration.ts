const scales = [
  { unit: 'min', part: 's', partMs: 1000, partsPerUnit: 60, partsEnd: 3600 },
  { unit: 'h', part: 'min', partMs: 60_000, partsPerUnit: 60, partsEnd: 1440 },
  { unit: 'd', part: 'h', partMs: 3_600_000, partsPerUnit: 24, partsEnd: Number.POSITIVE_INFINITY },
] as const

/** A duration in at most two units, such as `850 ms`, `1.2 s`, `3 min 5 s`, with non-breaking spaces. */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return 'unknown'
  const words = formatLength(Math.abs(durationMs))
  return durationMs < 0 && Math.round(durationMs) !== 0 ? `\u2212${words}` : words
}

function formatLength(ms: number): string {
  if (Math.round(ms) < 1000) return amount(Math.round(ms), 'ms')
  if (Math.round(ms / 100) < 100) return amount(Math.round(ms / 100) / 10, 's')
  if (Math.round(ms / 1000) < 60) return amount(Math.round(ms / 1000), 's')
  for (const { unit, part, partMs, partsPerUnit, partsEnd } of scales) {
    // Rounded first, so that the smaller part never reaches a whole larger unit.
    const parts = Math.round(ms / partMs)
    if (parts >= partsEnd) continue
    const whole = amount(Math.floor(parts / partsPerUnit), unit)
    const rest = parts % partsPerUnit
    return rest === 0 ? whole : `${whole} ${amount(rest, part)}`
  }
  return 'unknown'
}

const amount = (count: number, unit: string): string => `${count}\u00a0${unit}`
