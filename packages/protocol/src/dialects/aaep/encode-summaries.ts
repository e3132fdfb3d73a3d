import type { JsonObject } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { cut } from './bounds.ts'
import type { FrameDraft } from './draft.ts'
import { fieldsOf } from './fields.ts'
import { aaepId, isLanguage } from './names.ts'
import type { Speaker, Spoken } from './sentences.ts'
import { localizationSchema } from './wire/envelope.ts'
import { maxTerse, maxText } from './wire/vocabulary.ts'

/** The summaries of an outgoing frame. */
export interface Said {
  readonly fields: Readonly<Record<string, string | undefined>>
  /** Includes words of a producer, or words that came with the frame. */
  readonly isTheirs: boolean
  /** Includes words of this speaker. */
  readonly isOurs: boolean
}

/**
 * The producer's summaries, or else ours. A frame that came in as AAEP gets only the summary that AAEP
 * requires from us.
 */
export function toSummaries({ body, meta, isNative }: FrameDraft): Said {
  const { core, spoken } = body
  const { terse, normal, detailed, byLanguage } = meta?.summaries ?? {}
  const kept = isNative ? keptSummaries(meta?.ext?.[aaepId]) : undefined
  const isOurs = meta?.summaries === undefined && !isNative
  const needed = fieldsOf(core?.name).needsSummary || isOurs ? spoken?.normal : undefined
  const theirs = cut(normal ?? '', maxText) || kept?.normal
  const fields: Record<string, string | undefined> = {
    summary_normal: theirs ?? needed,
    summary_terse: cut(terse ?? '', maxTerse) || (isOurs ? spoken?.terse : kept?.terse),
    summary_detailed: cut(detailed ?? '', maxText) || (isOurs ? spoken?.detailed : kept?.detailed),
  }
  for (const key in byLanguage)
    if (/^(?:terse|normal|detailed)_[\w-]+$/.test(key))
      fields[`summary_${key}`] = cut(byLanguage[key] ?? '', maxText)
  return {
    fields,
    isTheirs: meta?.summaries !== undefined || kept !== undefined,
    isOurs: theirs === undefined && needed !== undefined,
  }
}

/** Summaries in our words that came in with the frame; they stay as they were. */
function keptSummaries(ext: JsonObject | undefined): Partial<Spoken> | undefined {
  if (ext === undefined) return undefined
  const kept = {
    ...keptSummary(ext, 'terse', maxTerse),
    ...keptSummary(ext, 'normal', maxText),
    ...keptSummary(ext, 'detailed', maxText),
  }
  return Object.keys(kept).length === 0 ? undefined : kept
}

function keptSummary(ext: JsonObject, level: keyof Spoken, max: number): Partial<Spoken> {
  const text = ext[`summary_${level}`]
  return typeof text === 'string' && text !== '' ? { [level]: cut(text, max) } : {}
}

const localizationChecker = createChecker(localizationSchema, 'AAEP §11')

/** AAEP §11: text for people states its language. */
export function localizationOf(
  { body, meta, isNative }: FrameDraft,
  said: Said | undefined,
  speaker: Speaker,
): JsonObject | undefined {
  const { hasText, language } = body
  const localization = meta?.localization
  const given =
    localization !== undefined && localizationChecker.isExact(localization) ? localization : undefined
  const isAllOurs = !hasText && said?.isTheirs !== true && said?.isOurs === true
  if (isAllOurs && (!isNative || given?.['primary_language'] === undefined))
    return {
      ...(isNative ? given : undefined),
      primary_language: speaker.language,
      ...(speaker.direction === 'rtl' ? { text_direction: 'rtl' } : undefined),
    }
  if (given?.['primary_language'] !== undefined) return given
  if (!hasText && said?.isTheirs !== true) return given
  const named = localization?.['primary_language']
  const known = [named, language].find((tag) => typeof tag === 'string' && isLanguage(tag))
  return { primary_language: known ?? 'und', ...given }
}
