const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const byteUnits = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
} as const

/** The pattern of a duration such as `30s` or `1.5h`. */
export const durationPattern = patternOf(durationUnits)

/** The pattern of a size such as `64MiB`. */
export const bytesPattern = patternOf(byteUnits)

/**
 * The milliseconds of `30s`, `1.5 h` or a bare number; undefined for any other text, and for fractions of a
 * millisecond.
 */
export function parseDuration(text: string): number | undefined {
  return parseAmount(text, durationUnits)
}

/**
 * The bytes of `64MiB`, `10 MB` or a bare number; undefined for any other text, and for fractions of a byte.
 */
export function parseBytes(text: string): number | undefined {
  return parseAmount(text, byteUnits)
}

function parseAmount(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits, unit] = /^(\d{1,16}(?:\.\d{1,6})?) ?([a-zA-Z]*)$/.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined) return undefined
  if (unit !== '' && !Object.hasOwn(units, unit)) return undefined
  const amount = Number(digits) * (units[unit] ?? 1)
  return Number.isSafeInteger(amount) ? amount : undefined
}

function patternOf(units: Readonly<Record<string, number>>): string {
  return `^\\d{1,16}(\\.\\d{1,6})? ?(${Object.keys(units).join('|')})?$`
}
