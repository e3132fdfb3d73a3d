import type { JsonObject, JsonValue } from '@sluice/protocol'
import type { StoryWords, Words } from './words/en.ts'

/** A story as data. `{name}` in any of its texts is replaced by a word of the choice that was made. */
export interface Story {
  readonly texts: StoryWords
  readonly choices: readonly [ChoiceWords, ...ChoiceWords[]]
  readonly tools: {
    readonly first: readonly ToolUse[]
    readonly second: readonly ToolUse[]
    /** Used in a run that fails because the prompt asks for it. */
    readonly failing: ToolUse
    readonly task: ToolUse
    /** Used only if somebody agrees. */
    readonly last: ToolUse
  }
  readonly sources: readonly JsonObject[]
}

export interface ToolUse {
  readonly tool: string
  readonly args: JsonObject
  readonly takesMs: number
  readonly result: JsonValue
  readonly isFailed?: true
  readonly isIrreversible?: true
  /** What a subagent does in this call. */
  readonly helper?: { readonly tool: ToolUse; readonly report: string }
}

interface ChoiceWords {
  readonly value: string
  readonly label: string
  readonly words: Readonly<Record<string, string>>
}

/** How many pieces the long text has. */
export const longPieces = 10_000

const searchHotels = { tool: 'search_hotels', takesMs: 900, args: { place: '{place}', nights: 1 } }
const runTests = { tool: 'run_tests', takesMs: 1800, args: { command: ['npm', 'test'] } }
const readFile = { tool: 'read_file', takesMs: 200, args: { path: 'src/invoice.ts' } }
const task = { tool: 'task', takesMs: 300 }

/** Plans a weekend trip, and books it if somebody agrees. */
export function tripStory({ trip, places }: Words): Story {
  const { sea, hills, city } = places
  return {
    texts: trip,
    choices: [
      { value: 'sea', label: sea.label, words: { ...sea, hours: '3:10', price: '186' } },
      { value: 'hills', label: hills.label, words: { ...hills, hours: '2:45', price: '172' } },
      { value: 'city', label: city.label, words: { ...city, hours: '4:20', price: '214' } },
    ],
    tools: {
      first: [],
      second: [
        {
          ...{ tool: 'search_trains', takesMs: 1400, args: { to: '{place}', day: '2027-05-15' } },
          result: [{ departs: '07:46', takes: '{hours}', changes: 0 }],
        },
        {
          ...{ tool: 'weather', takesMs: 600, args: { place: '{place}', days: 2 } },
          result: { saturday: { high: 21, rain: 0.1 }, sunday: { high: 19, rain: 0.3 } },
        },
      ],
      failing: { ...searchHotels, result: { error: 'service unavailable' }, isFailed: true },
      task: {
        ...{ ...task, args: { agent: 'scout', prompt: trip.task }, result: '{stay}' },
        helper: { tool: { ...searchHotels, result: [{ name: '{stay}', price: 96 }] }, report: trip.report },
      },
      last: {
        ...{ tool: 'book_trip', takesMs: 1200, args: { place: '{place}', departs: '07:46', stay: '{stay}' } },
        ...{ result: { booking: 'DEMO-4711', price: '{price} EUR' }, isIrreversible: true },
      },
    },
    sources: [{ title: '{place}', url: 'https://example.org/places' }],
  }
}

/** Fixes a failing test, and pushes the fix if somebody agrees. */
export function fixStory({ fix, roundings }: Words): Story {
  const choiceOf = (value: string, where: string, rounding: string): ChoiceWords => ({
    ...{ value, label: where, words: { where, rounding } },
  })
  return {
    texts: fix,
    choices: [
      choiceOf('end', roundings.end, 'Math.round(sum * 100) / 100'),
      choiceOf('line', roundings.line, 'sum + Math.round(price * count * 100) / 100'),
    ],
    tools: {
      first: [
        { ...runTests, result: 'total() rounds to cents: expected 19.99, got 20', isFailed: true },
        { ...readFile, result: 'return Math.round(lines.reduce(…))' },
      ],
      second: [{ tool: 'edit_file', takesMs: 400, args: { with: '{rounding}' }, result: { changed: 1 } }],
      failing: { ...runTests, result: 'npm: command not found', isFailed: true },
      task: {
        ...{ ...task, args: { agent: 'reviewer', prompt: fix.task }, result: fix.report },
        helper: { tool: { ...readFile, result: '{rounding}' }, report: fix.report },
      },
      last: {
        ...{ tool: 'push', takesMs: 1200, args: { remote: 'origin', branch: 'main' } },
        ...{ result: { commit: '4f2c9e1' }, isIrreversible: true },
      },
    },
    sources: [{ title: 'src/invoice.ts', url: 'https://example.org/repo/src/invoice.ts' }],
  }
}
