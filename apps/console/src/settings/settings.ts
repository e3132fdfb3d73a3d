/** The choices of a person, kept in this browser. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  /** How the announcer speaks. */
  readonly listening: boolean
  readonly speech: boolean
  readonly verbosity: 'terse' | 'normal' | 'detailed'
  /** Words per minute; undefined leaves the pace to the listener. */
  readonly rateWpm: number | undefined
  readonly language: string
  readonly load: 'low' | 'medium' | 'high' | undefined
  /** Whether single keys act without a modifier. */
  readonly shortcuts: boolean
  readonly notifications: boolean
}

export const defaultSettings: Settings = {
  theme: 'system',
  listening: true,
  speech: false,
  verbosity: 'normal',
  rateWpm: undefined,
  language: 'en',
  load: undefined,
  shortcuts: true,
  notifications: false,
}

const checks: { readonly [Name in keyof Settings]: (value: unknown) => boolean } = {
  theme: oneOf('system', 'light', 'dark'),
  listening: isBoolean,
  speech: isBoolean,
  verbosity: oneOf('terse', 'normal', 'detailed'),
  rateWpm: (value) => Number.isInteger(value) && Number(value) >= 50 && Number(value) <= 1000,
  language: isLanguage,
  load: oneOf('low', 'medium', 'high'),
  shortcuts: isBoolean,
  notifications: isBoolean,
}

/** Reads stored settings; missing or wrong ones get their default. */
export function parseSettings(text: string | null): Settings {
  let kept: unknown
  try {
    kept = JSON.parse(text ?? '')
  } catch {
    return defaultSettings
  }
  if (typeof kept !== 'object' || kept === null) return defaultSettings
  const given = Object.entries(kept).filter(
    ([name, value]) => Object.hasOwn(checks, name) && checks[name as keyof Settings](value), // a key of the table
  )
  return { ...defaultSettings, ...Object.fromEntries(given) }
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && values.includes(value)
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isLanguage(value: unknown): boolean {
  try {
    return typeof value === 'string' && Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}
