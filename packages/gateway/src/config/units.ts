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

/** The milliseconds of `30s`, `1.5 h` or a bare number; undefined for any other text, and for part of a millisecond. */
export function parseDuration(text: string): number | undefined {
  return parseAmount(text, durationUnits)
}

/** The bytes of `64MiB`, `10 MB` or a bare number; undefined for any other text, and for part of a byte. */
export function parseBytes(text: string): number | undefined {
  return parseAmount(text, byteUnits)
}

/** The shortest text that parseDuration() reads as `ms`. */
export function formatDuration(ms: number): string {
  return formatAmount(ms, durationUnits)
}

/** The shortest text that parseBytes() reads as `bytes`, in binary units. */
export function formatBytes(bytes: number): string {
  const { B, KiB, MiB, GiB, TiB } = byteUnits
  return formatAmount(bytes, { B, KiB, MiB, GiB, TiB })
}

function parseAmount(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits, unit] = /^(\d{1,16}(?:\.\d{1,6})?) ?([a-zA-Z]*)$/.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined) return undefined
  if (unit !== '' && !Object.hasOwn(units, unit)) return undefined
  const amount = Number(digits) * (units[unit] ?? 1)
  return Number.isSafeInteger(amount) ? amount : undefined
}

function formatAmount(amount: number, units: Readonly<Record<string, number>>): string {
  const [largest] = Object.entries(units)
    .filter(([, size]) => amount >= size && amount % size === 0)
    .sort(([, a], [, b]) => b - a)
  return largest === undefined ? String(amount) : `${amount / largest[1]}${largest[0]}`
}

function patternOf(units: Readonly<Record<string, number>>): string {
  return `^\\d{1,16}(\\.\\d{1,6})? ?(${Object.keys(units).join('|')})?$`
}
