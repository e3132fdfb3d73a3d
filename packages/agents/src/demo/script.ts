import type { JsonObject, JsonValue } from '@sluice/protocol'

/**
 * A story as data. `{name}` in any text of it stands for a word of the choice that was made last; without one it
 * stands for itself.
 */
export type Script = readonly Step[]

export type Step =
  | { readonly do: 'plan'; readonly items: readonly string[] }
  /** The item of the plan with this index begins: those before it are done. One past the last ends the plan. */
  | { readonly do: 'work'; readonly item: number }
  | { readonly do: 'think'; readonly text: string }
  /** Markdown. */
  | { readonly do: 'say'; readonly text: string }
  /** Goes on with numbered sections until it has said so many pieces. */
  | {
      readonly do: 'flood'
      readonly pieces: number
      readonly title: string
      readonly section: string
      readonly text: string
    }
  /** At the same time; each is over when its own time is. */
  | { readonly do: 'use'; readonly tools: readonly ToolUse[] }
  | { readonly do: 'cite'; readonly items: readonly JsonObject[] }
  | {
      readonly do: 'choose'
      readonly text: string
      readonly choices: readonly [ChoiceWords, ...ChoiceWords[]]
    }
  /** Something that cannot be undone; what nobody allows does not happen. */
  | {
      readonly do: 'confirm'
      readonly text: string
      readonly consequence: string
      readonly accepted: Script
      readonly refused: Script
    }
  /** Where the run fails if it is asked to. */
  | { readonly do: 'fail'; readonly steps: Script }

export interface ToolUse {
  readonly tool: string
  readonly args: JsonObject
  readonly takesMs: number
  readonly result: JsonValue
  readonly status?: 'error'
  readonly exitCode?: number
  readonly isIrreversible?: true
  /** What the tool does itself: a subagent. */
  readonly steps?: Script
}

export interface ChoiceWords {
  readonly value: string
  readonly label: string
  /** What the story says differently for this choice. */
  readonly words: Readonly<Record<string, string>>
}

/** A value with the words of a choice put in. */
export function fill<T extends JsonValue>(value: T, words: Readonly<Record<string, string>>): T {
  // Objects are rebuilt with the same keys, texts stay texts: the shape is that of the value.
  return fillIn(value, words) as T
}

function fillIn(value: JsonValue, words: Readonly<Record<string, string>>): JsonValue {
  if (typeof value === 'string')
    return value.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member: JsonValue) => fillIn(member, words))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      member === undefined ? member : fillIn(member, words),
    ]),
  )
}
