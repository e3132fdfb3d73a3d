/** What a prompt asks the demo for. */
export interface DemoRequest {
  readonly story: 'trip' | 'fix' | 'long'
  readonly language: 'en' | 'de'
  readonly speed: 'slow' | 'normal' | 'fast'
  /** Fails half-way. */
  readonly fails: boolean
  /** Asks nobody. */
  readonly isQuiet: boolean
}

const germanFix = ['fehler', 'behebe', 'repariere']
const german = ['reise', 'ausflug', 'wochenende', 'urlaub', ...germanFix]
const fix = ['fix', 'bug', 'test', 'tests', 'failing', ...germanFix]

/** Reads the words of a prompt that have a meaning here, in any order and case. Every prompt is a request. */
export function readPrompt(prompt: string): DemoRequest {
  const lower = prompt.toLowerCase()
  const words = new Set(lower.match(/[\p{L}\p{M}\p{N}]+/gu))
  const has = (...some: readonly string[]): boolean => some.some((word) => words.has(word))
  const named = /demo:\s*language\s+(en|de)\b/.exec(lower)?.[1]
  const isGerman = named === undefined ? has('german', 'deutsch') || has(...german) : named === 'de'
  const isEnglish = named === undefined && !has('german', 'deutsch') && has('english', 'englisch')
  return {
    story: has('long') ? 'long' : has(...fix) ? 'fix' : 'trip',
    language: isGerman && !isEnglish ? 'de' : 'en',
    speed: has('fast') ? 'fast' : has('slow') ? 'slow' : 'normal',
    fails: has('fail'),
    isQuiet: has('quiet'),
  }
}
