const durationUnits = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const byteUnits = { TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 }

/** The shortest text that parseDuration() reads as `ms`. */
export const formatDuration = (ms: number): string => formatAmount(ms, durationUnits)

/** The shortest text that parseBytes() reads as `bytes`, in binary units. */
export const formatBytes = (bytes: number): string => formatAmount(bytes, byteUnits)

function formatAmount(amount: number, units: Readonly<Record<string, number>>): string {
  const largest = Object.entries(units).find(([, size]) => amount >= size && amount % size === 0)
  return largest === undefined ? String(amount) : `${amount / largest[1]}${largest[0]}`
}
