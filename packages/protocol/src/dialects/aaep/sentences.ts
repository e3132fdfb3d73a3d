import type { AaepPhrases, CountedText, PhraseSentence, SentenceKey } from './phrases/schema.ts'
import { toolKindOf, toSpokenTool } from './phrases/tool-kind.ts'

/** An event in words: in short, as usual and at length. */
export interface Spoken {
  readonly terse: string
  readonly normal: string
  readonly detailed?: string
}

/** The values for the placeholders of a sentence; `count` selects its plural form. */
export type SpokenValues = Readonly<Record<string, string | number>>

/** Says in one language what happens if a producer does not say it. Never repeats a word of a payload. */
export interface Speaker {
  readonly language: string
  readonly direction: AaepPhrases['direction']
  /** Texts for fields that must not be empty. */
  readonly fields: AaepPhrases['fields']
  say(key: SentenceKey, values?: SpokenValues): Spoken
  /** What a tool does, judged by its name alone. */
  sayTool(name: string): Spoken
  /** The state that an agent has entered. */
  sayState(name: string): Spoken
}

export function createSpeaker(phrases: AaepPhrases): Speaker {
  const { language, direction, fields, sentences, tools } = phrases
  const say: Speaker['say'] = (key, values) => toSpoken(sentences[key], values ?? {}, language)
  return {
    language,
    direction,
    fields,
    say,
    sayTool(name) {
      const kind = toolKindOf(name)
      if (kind !== undefined) return toSpoken(tools[kind], {}, language)
      const tool = toSpokenTool(name)
      return tool === '' || vagueTools.has(tool) ? say('callingTool') : say('otherTool', { tool })
    },
    sayState(name) {
      const key = states.get(name)
      if (key !== undefined) return say(key)
      const state = toSpokenState(name)
      return state === '' ? say('someState') : say('otherState', { state })
    },
  }
}

const vagueTools: ReadonlySet<string> = new Set(['tool', 'function', 'mcp tool call', 'use mcp tool'])

/** The states that AAEP §4.2.1 recommends, and those of other dialects that mean the same. */
const states: ReadonlyMap<string, SentenceKey> = new Map([
  ['idle', 'idle'],
  ['thinking', 'thinking'],
  ['working', 'working'],
  ['calling_tool', 'callingTool'],
  ['writing_output', 'writingOutput'],
  ['awaiting_input', 'awaitingInput'],
  ['deciding', 'deciding'],
  ['handing_off', 'handingOff'],
  ['unknown', 'someState'],
])

/** A state's name as it can be spoken; empty unless it looks like a name. */
export function toSpokenState(name: string): string {
  return /^\p{L}[\p{L}\p{M}\p{N}]*(?:[ _-][\p{L}\p{M}\p{N}]+){0,3}$/u.test(name) && name.length <= 40
    ? name.replaceAll(/[_-]/g, ' ')
    : ''
}

function toSpoken(sentence: PhraseSentence, values: SpokenValues, language: string): Spoken {
  const { terse, normal, detailed } = sentence
  const spoken = { terse: fill(terse, values, language), normal: fill(normal, values, language) }
  return detailed === undefined ? spoken : { ...spoken, detailed: fill(detailed, values, language) }
}

function fill(text: CountedText, values: SpokenValues, language: string): string {
  const chosen = typeof text === 'string' ? text : (text[pluralOf(values['count'], language)] ?? text.other)
  return chosen.includes('{')
    ? chosen.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
    : chosen
}

/**
 * Plural rules are not cached: they take memory, an encoder may serve a single reader, and few sentences
 * count.
 */
function pluralOf(count: string | number | undefined, language: string): Intl.LDMLPluralRule {
  return typeof count === 'number' ? new Intl.PluralRules(language).select(count) : 'other'
}
