/** A time counted from the start, such as `0:12` or `1:02:03`, with decimals as steps of `stepMs` need. */
export function formatOffset(offsetMs: number, stepMs: number): string {
  if (!Number.isFinite(offsetMs)) return 'unknown'
  const decimals = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3
  const unitsPerSecond = 10 ** decimals
  const units = Math.floor(Math.max(0, offsetMs) / (1000 / unitsPerSecond))
  const seconds = Math.floor(units / unitsPerSecond)
  const fraction = decimals === 0 ? '' : `.${String(units % unitsPerSecond).padStart(decimals, '0')}`
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const inHour = hours > 0 ? `${hours}:${twoDigits(minutes)}` : String(minutes)
  return `${inHour}:${twoDigits(seconds % 60)}${fraction}`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
