/** The approximate speed of voices at rate 1, in words per minute. */
const usualWpm = 180

/** Converts words per minute to the rate of a browser's voice, where 1 is normal. */
export function toSpeechRate(rateWpm: number | undefined): number {
  if (rateWpm === undefined || !Number.isFinite(rateWpm)) return 1
  return Math.min(10, Math.max(0.1, rateWpm / usualWpm))
}
