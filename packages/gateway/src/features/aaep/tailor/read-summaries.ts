import type { JsonObject, JsonValue } from '@sluice/protocol'

export type Verbosity = 'terse' | 'normal' | 'detailed'

/** The summaries of one language, by length. */
export type LanguageSummaries = { readonly [level in Verbosity]?: string }

/** The summaries of a frame, by language. */
export interface FrameSummaries {
  /** The summaries in the frame's own language. */
  readonly plain: LanguageSummaries
  /** The summaries in other languages, by tag, each as its field spells it. */
  readonly variants: ReadonlyMap<string, LanguageSummaries>
  /** Every field that contains a summary. */
  readonly fields: ReadonlySet<string>
}

const summaryField = /^summary_(terse|normal|detailed)(?:_([A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8})*))?$/

/** AAEP §4; one code point is one or two units, so a text with few enough units fits. */
const maxUnits: Readonly<Record<Verbosity, number>> = { terse: 4096, normal: 16_384, detailed: 16_384 }

/** The summaries of a frame; undefined if it has none. A text that does not fit its field does not count. */
export function readSummaries(frame: JsonObject): FrameSummaries | undefined {
  let plain: LanguageSummaries = {}
  const variants = new Map<string, LanguageSummaries>()
  const fields = new Set<string>()
  for (const key in frame) {
    const [, name, spelled] = key.startsWith('summary_') ? (summaryField.exec(key) ?? []) : []
    const value = frame[key]
    if (name === undefined || typeof value !== 'string') continue
    const level = name as Verbosity // one of the three that the pattern names
    fields.add(key)
    if (spelled === undefined) plain = { ...plain, [level]: value }
    else if (isFitting(value, level)) {
      const tag = spelled.replaceAll('_', '-')
      variants.set(tag, { ...variants.get(tag), [level]: value })
    }
  }
  return fields.size === 0 ? undefined : { plain, variants, fields }
}

function isFitting(value: JsonValue, level: Verbosity): boolean {
  return typeof value === 'string' && value !== '' && value.length <= maxUnits[level]
}
