import type { Summaries } from '../../../events.ts'
import { isJsonObject, type JsonObject } from '../../../json.ts'
import { toSpokenState } from '../sentences.ts'
import { isOwnSentence } from './own-sentences.ts'
import { toSpokenTool } from './tool-kind.ts'

/** The summaries of a frame, by author. */
export interface SortedSummaries {
  readonly theirs: Summaries | undefined
  readonly ours: readonly { readonly field: string; readonly text: string }[]
}

const levels = ['terse', 'normal', 'detailed'] as const
const none: SortedSummaries = { theirs: undefined, ours: [] }

export interface SummaryTraits {
  /** AAEP requires a summary of this event, so ours may appear next to theirs. */
  readonly isNeeded: boolean
  /** The frame has summaries in further languages, which Sluice never writes. */
  readonly hasVariants: boolean
}

/** Separates a producer's summaries from those that Sluice wrote for it. They are ours only if all of them are. */
export function sortSummaries(value: JsonObject, { isNeeded, hasVariants }: SummaryTraits): SortedSummaries {
  if (levels.every((level) => value[`summary_${level}`] === undefined)) return none
  const names = namesIn(value)
  const given = levels.flatMap((level) => {
    const field = `summary_${level}`
    const text = value[field]
    return typeof text === 'string' ? [{ level, field, text, isOwn: isOwnSentence(text, level, names) }] : []
  })
  const isAllOwn = !hasVariants && given.every(({ isOwn }) => isOwn)
  const ours = given.filter(({ level, isOwn }) => isAllOwn || (isNeeded && level === 'normal' && isOwn))
  const theirs = given.filter((summary) => !ours.includes(summary))
  return {
    theirs:
      theirs.length === 0 ? undefined : Object.fromEntries(theirs.map(({ level, text }) => [level, text])),
    ours,
  }
}

/** The names that may appear in a sentence of ours. */
function namesIn({ tool, to_state: state, extensions }: JsonObject): readonly string[] {
  const sluice = isJsonObject(extensions) ? extensions['sluice'] : undefined
  const original = isJsonObject(sluice) ? sluice['tool'] : undefined
  return [
    ...(typeof tool === 'string' ? [tool, toSpokenTool(tool)] : []),
    ...(typeof original === 'string' ? [toSpokenTool(original)] : []),
    ...(typeof state === 'string' ? [toSpokenState(state)] : []),
  ]
}
