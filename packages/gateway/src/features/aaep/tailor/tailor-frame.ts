import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { aaepCoreType, aaepSchemas, matchLanguage, toCompactAaepType } from '@sluice/protocol/dialects'
import {
  type FrameSummaries,
  type LanguageSummaries,
  readSummaries,
  type Verbosity,
} from './read-summaries.ts'
import { textDirectionOf } from './text-direction.ts'

/** The form of events that a subscriber wants. */
export interface TailorWish {
  readonly verbosity: Verbosity
  /** Best first. */
  readonly languages: readonly string[]
}

/**
 * An AAEP event with one summary: in the language closest to `wish`, and as long as wanted, or as close to
 * that as the producer's summaries allow. Keeps `summary_normal` as well where AAEP requires it. Returns a
 * frame without summaries as it is. A valid frame stays valid.
 */
export function tailorFrame(frame: JsonObject, wish: TailorWish): JsonObject {
  const said = readSummaries(frame)
  if (said === undefined) return frame
  const hints = isJsonObject(frame['localization_hints']) ? frame['localization_hints'] : {}
  const primary = textOf(hints['primary_language'])
  const { language, summaries: found } = choose(said, { primary, hints }, wish)
  const needed = needsNormal(frame['type'])
  const normal = found.normal ?? (needed ? (found.terse ?? found.detailed) : undefined)
  const summaries: LanguageSummaries = normal === undefined ? found : { ...found, normal }
  const level = order[wish.verbosity].find((candidate) => summaries[candidate] !== undefined)
  if (level === undefined) return frame
  const tailored: Record<string, JsonValue | undefined> = {}
  for (const key in frame) if (!said.fields.has(key)) set(tailored, key, frame[key])
  tailored['verbosity'] = level
  tailored['localization_hints'] = hintsIn(language, primary, hints)
  tailored[`summary_${level}`] = summaries[level]
  if (needed) tailored['summary_normal'] = normal
  return tailored
}

/** Which summaries replace a missing one. */
const order: Readonly<Record<Verbosity, readonly Verbosity[]>> = {
  terse: ['terse', 'normal', 'detailed'],
  normal: ['normal', 'terse', 'detailed'],
  detailed: ['detailed', 'normal', 'terse'],
}

interface Choice {
  readonly language: string
  readonly summaries: LanguageSummaries
}

/** The summaries in the frame's own language, unless others are closer to the wanted languages (AAEP §11). */
function choose(
  { plain, variants }: FrameSummaries,
  { primary, hints }: { readonly primary: string | undefined; readonly hints: JsonObject },
  wish: TailorWish,
): Choice {
  const hasPlain = order.normal.some((level) => plain[level] !== undefined)
  const own = { language: primary ?? 'und', summaries: plain }
  if (variants.size === 0) return own
  const offered = [...(hasPlain && primary !== undefined ? [primary] : []), ...variants.keys()]
  const chain = Array.isArray(hints['fallback_chain']) ? hints['fallback_chain'] : []
  const language = matchLanguage(wish.languages, offered, chain.filter(isText))
  if (hasPlain && (language === undefined || language === primary)) return own
  const found = language ?? offered[0] ?? 'und'
  return { language: found, summaries: variants.get(found) ?? plain }
}

function hintsIn(language: string, primary: string | undefined, hints: JsonObject): JsonObject {
  if (language === primary) return hints
  if (primary === undefined && language === 'und') return { primary_language: language, ...hints }
  const { script: _script, text_direction: _direction, ...others } = hints
  return { ...others, primary_language: language, text_direction: textDirectionOf(language) }
}

/** Whether AAEP requires a `summary_normal` in every event of this type. */
function needsNormal(type: JsonValue | undefined): boolean {
  const core = typeof type === 'string' ? aaepCoreType(toCompactAaepType(type)) : undefined
  if (core === undefined) return false
  const { required }: { readonly required?: readonly string[] } = aaepSchemas[core.name]
  return required?.includes('summary_normal') === true
}

/** Sets any key: plain assignment to an object with a prototype fails for `__proto__`. */
function set(target: Record<string, JsonValue | undefined>, key: string, value: JsonValue | undefined): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  else target[key] = value
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
