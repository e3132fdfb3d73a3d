import { countCodePoints } from './segment/code-points.ts'
import type {
  CallState,
  Omitted,
  OpenThings,
  OutputState,
  QuestionState,
  SessionState,
  StateDraft,
} from './session-state.ts'
import { type Table, tableMap } from './table.ts'
import { weigh } from './weigh.ts'

/**
 * What a session's state holds at most; the rest is in the log. Lengths and weights are UTF-16 units of text and of
 * JSON. The state is a pure function of the log, so these are constants.
 */
export const window = {
  /** An open text of up to this length is kept whole. A longer one keeps its beginning, and at least this much. */
  wholeText: 262_144,
  /** How much of the beginning of a text is kept of which something is left out: more than any dialect repeats. */
  headText: 65_552,
  /** How much of the end of a long open text is kept if the state is too heavy. */
  tailText: 4096,
  /** At this weight a state sheds payloads and texts, the oldest first, until half is left. */
  weight: 4_194_304,
  /** The weight of the things that cannot be shed because they are open; more is refused. */
  openWeight: 67_108_864,
  /** Rows of outputs, calls and questions; half of the ended ones are forgotten when there are more. */
  rows: 4096,
  /** Messages, sources, patches, and parts of an output. */
  items: 1024,
  /** Outputs, calls and questions that are open together; more are refused. */
  openOutputs: 256,
  openCalls: 1024,
  openQuestions: 1024,
} as const

/** A row or an item, whatever it holds. */
const rowWeight = 64

export function weighItems(items: readonly unknown[]): number {
  let sum = 0
  for (const item of items) sum += rowWeight + weigh(item)
  return sum
}

export function weighOutput({ output, text, head, parts, ext }: OutputState): number {
  return rowWeight + output.length + text.length + weigh(head) + weighItems(parts) + weigh(ext)
}

export function weighCall(row: CallState): number {
  return rowWeight + row.call.length + row.tool.length + weigh(row.argsSummary) + weighPayloads(row)
}

function weighPayloads({ args, argsText, result, message }: CallState): number {
  return weigh(args) + weigh(argsText) + weigh(result) + weigh(message)
}

export function weighQuestion({ opened, closed }: QuestionState): number {
  return rowWeight + weigh(opened) + weigh(closed)
}

export function weighData(data: SessionState['data']): number {
  return data === undefined ? 0 : weigh(data.snapshot) + weighItems(data.patches)
}

/** Adds items to a list that keeps the latest ones, and returns those that it no longer keeps. */
export function addItems<T>(
  list: readonly T[],
  items: readonly T[],
): { readonly list: readonly T[]; readonly dropped: readonly T[] } {
  const all = [...list, ...items]
  if (all.length <= window.items) return { list: all, dropped: [] }
  const kept = all.slice(-window.items / 2)
  return { list: kept, dropped: all.slice(0, all.length - kept.length) }
}

export function countOmitted(
  omitted: Omitted | undefined,
  what: keyof Omitted,
  count: number,
): Omitted | undefined {
  return count === 0 ? omitted : { ...omitted, [what]: (omitted?.[what] ?? 0) + count }
}

/** Leaves out all but the last `units` of a text, and its beginning. */
export function cutText(row: OutputState, units: number): OutputState {
  const cut = wholeBefore(row.text, row.text.length - units)
  return {
    ...row,
    text: row.text.slice(cut),
    omitted: row.omitted + countCodePoints(row.text.slice(0, cut)),
    head: row.head ?? row.text.slice(0, wholeBefore(row.text, window.headText)),
  }
}

/** The greatest index up to `index` that is not between the halves of a surrogate pair. */
function wholeBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index
}

/** Whether more is open in `after` than a session may have, and more than before. */
export function isTooMuch(before: SessionState, after: SessionState): boolean {
  return (
    (after.weight > window.openWeight && after.weight > before.weight) ||
    (after.open !== before.open && hasTooManyOpen(before.open, after.open))
  )
}

function hasTooManyOpen(before: OpenThings, after: OpenThings): boolean {
  const isMore = (what: keyof OpenThings, limit: number): boolean =>
    after[what].length > limit && after[what].length > before[what].length
  return (
    isMore('outputs', window.openOutputs) ||
    isMore('calls', window.openCalls) ||
    isMore('questions', window.openQuestions)
  )
}

/** The text of an output, if nothing of it is left out and it is short enough to be repeated. */
export function wholeText({ text, omitted }: OutputState): string | undefined {
  return omitted === 0 && text.length <= window.wholeText ? text : undefined
}

/** A text that wholeText() would return, after more of it. */
export function addWhole(text: string | undefined, added: string): string | undefined {
  return text === undefined || text.length + added.length > window.wholeText ? undefined : text + added
}

/** A table with too many rows without the older ones of those that ended. */
export function forgetOldest<T>(table: Table<T>, isEnded: (row: T) => boolean): Table<T> {
  let left = table.size - window.rows / 2
  return tableMap(table, (row) => {
    if (left === 0 || !isEnded(row)) return row
    left -= 1
    return undefined
  })
}

/** Brings a state that an event made larger back into the window. Writes to `draft`. */
export function boundState(draft: StateDraft): void {
  boundRows(draft, 'outputs', draft.outputs.size)
  boundRows(draft, 'calls', draft.calls.size)
  boundRows(draft, 'questions', draft.questions.size)
  if (draft.weight > Math.max(window.weight, draft.history.shedAt)) shed(draft)
}

function boundRows(draft: StateDraft, what: keyof OpenThings, size: number): void {
  if (size > window.rows) forgetRows(draft, what, { count: size - window.rows / 2 })
}

type Step = (draft: StateDraft, isEnough: () => boolean) => void

function shed(draft: StateDraft): void {
  const isEnough = (): boolean => draft.weight <= window.weight / 2
  for (const step of steps) if (!isEnough()) step(draft, isEnough)
  // Without this, a state that cannot become light would be looked through at every event.
  const shedAt = isEnough() ? 0 : draft.weight * 2
  if (shedAt !== draft.history.shedAt) draft.history = { ...draft.history, shedAt }
}

/** The order in which a state is made lighter, within each step the oldest first. */
const steps: readonly Step[] = [
  (draft, isEnough) => {
    const change = (row: CallState): CallState => (row.status === undefined ? row : withoutPayloads(row))
    draft.calls = lighten(draft, draft.calls, { isEnough, weightOf: weighCall, change })
  },
  (draft, isEnough) => {
    const change = (row: OutputState): OutputState => ({
      ...row,
      parts: [],
      omittedParts: row.omittedParts + row.parts.length,
    })
    draft.outputs = lighten(draft, draft.outputs, { isEnough, weightOf: weighOutput, change })
  },
  (draft) => dropItems(draft, 'sources'),
  (draft) => dropItems(draft, 'messages'),
  (draft, isEnough) => {
    const change = (row: OutputState): OutputState =>
      row.open || row.text === '' ? row : { ...row, text: '', head: undefined, omitted: row.length }
    draft.outputs = lighten(draft, draft.outputs, { isEnough, weightOf: weighOutput, change })
  },
  dropData,
  (draft, isEnough) => {
    for (const what of ['calls', 'questions', 'outputs'] as const) forgetRows(draft, what, { isEnough })
  },
  (draft, isEnough) => {
    draft.calls = lighten(draft, draft.calls, { isEnough, weightOf: weighCall, change: withoutPayloads })
  },
  (draft, isEnough) => {
    const change = (row: OutputState): OutputState =>
      row.text.length > window.wholeText ? cutText(row, window.tailText) : row
    draft.outputs = lighten(draft, draft.outputs, { isEnough, weightOf: weighOutput, change })
  },
]

interface Lightening<T> {
  isEnough(): boolean
  weightOf(row: T): number
  change(row: T): T
}

/** Replaces rows until it is enough. */
function lighten<T>(
  draft: StateDraft,
  table: Table<T>,
  { isEnough, weightOf, change }: Lightening<T>,
): Table<T> {
  return tableMap(table, (row) => {
    if (isEnough()) return row
    const changed = change(row)
    if (changed !== row) draft.weight -= weightOf(row) - weightOf(changed)
    return changed
  })
}

function withoutPayloads(row: CallState): CallState {
  if (weighPayloads(row) === 0) return row
  const { args: _args, argsText: _argsText, result: _result, message: _message, ...rest } = row
  return { ...rest, omitted: true }
}

function dropItems(draft: StateDraft, what: 'sources' | 'messages'): void {
  draft.omitted = countOmitted(draft.omitted, what, draft[what].length)
  draft.weight -= weighItems(draft[what])
  draft[what] = []
}

/** Patches say nothing without what they change, so all of the data is left out. */
function dropData(draft: StateDraft): void {
  const { data } = draft
  if (data === undefined || data.omitted === true) return
  draft.weight -= weighData(data)
  draft.data = { patches: [], omitted: true }
}

/** Forgets ended rows, the oldest first: at most `count`, until it is enough. */
function forgetRows(
  draft: StateDraft,
  what: keyof OpenThings,
  { count = Number.POSITIVE_INFINITY, isEnough }: { readonly count?: number; isEnough?(): boolean },
): void {
  let left = count
  const isKept = (isEnded: boolean, weight: () => number): boolean => {
    if (!isEnded || left === 0 || isEnough?.() === true) return true
    left -= 1
    draft.weight -= weight()
    return false
  }
  const before = draft[what].size
  if (what === 'outputs') {
    let { forgottenTake } = draft.history
    draft.outputs = tableMap(draft.outputs, (row) => {
      if (isKept(!row.open, () => weighOutput(row))) return row
      forgottenTake = Math.max(forgottenTake, row.take)
      return undefined
    })
    if (forgottenTake > draft.history.forgottenTake) draft.history = { ...draft.history, forgottenTake }
  } else if (what === 'calls')
    draft.calls = tableMap(draft.calls, (row) =>
      isKept(row.status !== undefined, () => weighCall(row)) ? row : undefined,
    )
  else
    draft.questions = tableMap(draft.questions, (row) =>
      isKept(row.closed !== undefined, () => weighQuestion(row)) ? row : undefined,
    )
  draft.omitted = countOmitted(draft.omitted, what, before - draft[what].size)
}
