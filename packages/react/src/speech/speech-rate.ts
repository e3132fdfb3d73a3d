/** What voices speak at their rate of 1, more or less. */
const usualWpm = 180

/** The rate of a browser's voice, where 1 is usual, for words a minute. */
export function toSpeechRate(rateWpm: number | undefined): number {
  if (rateWpm === undefined || !Number.isFinite(rateWpm)) return 1
  return Math.min(10, Math.max(0.1, rateWpm / usualWpm))
}
