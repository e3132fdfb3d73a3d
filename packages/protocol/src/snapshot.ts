import type { Message, Usage } from './events.ts'
import { isSameJson, type JsonObject, type JsonValue } from './json.ts'
import {
  blankOutput,
  type CallState,
  createSessionState,
  type OutputState,
  type QuestionState,
  type SessionState,
} from './session-state.ts'
import { emptyTable, type Table, tableGet, tableSet, tableValues } from './table.ts'

type Tables = 'outputs' | 'calls' | 'questions'

/**
 * The state of a session as plain JSON, with its tables as lists in the order of first use (docs/protocol.md,
 * Snapshots).
 */
export interface Snapshot extends Readonly<Partial<Omit<SessionState, Tables | 'id' | 'seq' | 'at'>>> {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly outputs: readonly Partial<OutputState>[]
  readonly calls: readonly CallState[]
  readonly questions: readonly QuestionState[]
  readonly messages: readonly Message[]
  readonly sources: readonly JsonValue[]
  readonly usage?: Usage | undefined
}

/** The changes from one state of a session to a later one. */
export interface StatePatch {
  /** Of lists only the items that were added or changed; of a text that only grew, only the added part. */
  readonly changes: Snapshot
  /** The outputs whose text in `changes` continues their earlier text. */
  readonly grown: readonly string[]
  /** `changes` is all of the later state: some rows or items were left out meanwhile (window.ts). */
  readonly isWhole?: true
  /** The patches of application state in `changes` continue the earlier ones. */
  readonly dataGrown?: true
}

export function toSnapshot(state: SessionState): Snapshot {
  const { outputs, calls, questions, ...rest } = state
  return {
    ...rest,
    outputs: tableValues(outputs),
    calls: tableValues(calls),
    questions: tableValues(questions),
  }
}

/** The state that a snapshot shows, ready for further folding. */
export function fromSnapshot(snapshot: Snapshot): SessionState {
  return applyPatch(createSessionState(snapshot), { changes: snapshot, grown: [] })
}

/**
 * The patch from `before` to `after`, a later state of the same session. Of lists and texts it contains only
 * what changed.
 */
export function diffStates(before: SessionState, after: SessionState): StatePatch {
  if (!isSameJson(before.omitted as JsonObject | undefined, after.omitted as JsonObject | undefined))
    return { changes: toSnapshot(after), grown: [], isWhole: true }
  const grown: string[] = []
  const outputs = changedRows(before.outputs, after.outputs).map((output) => {
    const known = tableGet(before.outputs, output.output)
    if (known === undefined || known.text === '' || known.take !== output.take) return output
    if (known.omitted !== output.omitted) return output
    // As in rest-after.ts: startsWith() takes several times as long.
    if (output.text.slice(0, known.text.length) !== known.text) return output
    grown.push(output.output)
    return { ...output, text: output.text.slice(known.text.length) }
  })
  const dataGrown = hasOnlyGrown(before.data, after.data)
  const data = dataGrown
    ? { patches: after.data?.patches.slice(before.data?.patches.length) ?? [] }
    : after.data
  const { outputs: _outputs, calls: _calls, questions: _questions, ...rest } = after
  return {
    changes: {
      ...rest,
      outputs,
      calls: changedRows(before.calls, after.calls),
      questions: changedRows(before.questions, after.questions),
      messages: after.messages.slice(before.messages.length),
      sources: after.sources.slice(before.sources.length),
      data,
    },
    grown,
    ...(dataGrown ? { dataGrown } : {}),
  }
}

/** The state after a patch that diffStates() made from `before`, even if the patch went through JSON. */
export function applyPatch(base: SessionState, patch: StatePatch): SessionState {
  const { changes } = patch
  const before = patch.isWhole === true ? createSessionState(changes) : base
  const grown = new Set(patch.grown)
  let outputs = before.outputs
  for (const row of changes.outputs) {
    const output = { ...blankOutput, ...row }
    const known = grown.has(output.output) ? tableGet(outputs, output.output)?.text : undefined
    outputs = tableSet(outputs, output.output, { ...output, text: (known ?? '') + output.text })
  }
  const patches = before.data?.patches ?? []
  const data =
    patch.dataGrown === true
      ? { ...before.data, patches: [...patches, ...(changes.data?.patches ?? [])] }
      : changes.data
  return {
    ...createSessionState(changes),
    ...changes,
    outputs: countForgotten(outputs, changes.omitted?.outputs),
    calls: countForgotten(
      setRows(before.calls, changes.calls, (call) => call.call),
      changes.omitted?.calls,
    ),
    questions: countForgotten(
      setRows(before.questions, changes.questions, ({ opened }) => opened.token),
      changes.omitted?.questions,
    ),
    messages: [...before.messages, ...changes.messages],
    sources: [...before.sources, ...changes.sources],
    data,
  }
}

function hasOnlyGrown(before: SessionState['data'], after: SessionState['data']): boolean {
  if (before === undefined || after === undefined || before === after) return false
  return (
    before.snapshot === after.snapshot &&
    before.omitted === after.omitted &&
    before.patches.every((patch, index) => patch === after.patches[index])
  )
}

function changedRows<T extends { readonly [key: string]: unknown } | OutputState | CallState | QuestionState>(
  before: Table<T>,
  after: Table<T>,
): T[] {
  if (before === after) return []
  const known = new Set(tableValues(before))
  return tableValues(after).filter((row) => !known.has(row))
}

function setRows<T>(table: Table<T>, rows: readonly T[], keyOf: (row: T) => string): Table<T> {
  let next = table.size === 0 ? emptyTable<T>() : table
  for (const row of rows) next = tableSet(next, keyOf(row), row)
  return next
}

/** The keys of forgotten rows count as set. */
function countForgotten<T>(table: Table<T>, forgotten = 0): Table<T> {
  return { ...table, next: table.size + forgotten }
}
