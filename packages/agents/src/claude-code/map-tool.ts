import {
  emptyTable,
  isJsonObject,
  type JsonValue,
  type Meta,
  omitUndefined,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import { readPlan } from '../cli/read-plan.ts'
import type { Block } from './native-block.ts'
import { toObject } from './native-json.ts'

/** The emitted calls, by id. */
export type Calls = Table<{ readonly tool: string; readonly isDone: boolean }>

export interface CallStep {
  readonly calls: Calls
  readonly events: readonly SluiceEvent[]
}

export const noCalls: Calls = emptyTable()

/** Emits a call with its arguments, unless it was emitted before. */
export function addCall(calls: Calls, block: Block & { type: 'call' }, parent: string | undefined): CallStep {
  const { call, tool, args } = block
  if (tableGet(calls, call) !== undefined) return { calls, events: [] }
  const meta = metaOf(parent)
  // A subagent's plan is not the plan of the run.
  const plan =
    tool === 'TodoWrite' && parent === undefined ? readPlan(toObject(args)['todos'], 'content') : undefined
  return {
    calls: tableSet(calls, call, { tool, isDone: false }),
    events: [{ kind: 'tool-call', call, tool, args, ...meta }, ...(plan === undefined ? [] : [plan])],
  }
}

export interface CallOutcome {
  readonly block: Block & { type: 'outcome' }
  readonly parent: string | undefined
  /** The value that the tool returned, if it is known to belong to this call. */
  readonly detail?: JsonValue | undefined
}

/** Ends a call; does nothing if it has ended. */
export function endCall(calls: Calls, { block, parent, detail }: CallOutcome): CallStep {
  const { call, isError, result } = block
  const known = tableGet(calls, call)
  // An unknown call belongs to an earlier run, or means nothing.
  if (known === undefined || known.isDone) return { calls, events: [] }
  const { tool } = known
  const exitCode = tool === 'Bash' ? exitCodeOf(block, detail) : undefined
  const event: SluiceEvent = {
    kind: 'tool-result',
    call,
    tool,
    status: isError ? 'error' : 'success',
    ...omitUndefined({ result, exitCode }),
    ...metaOf(parent),
  }
  return { calls: tableSet(calls, call, { tool, isDone: true }), events: [event] }
}

/**
 * A failed command has its exit code in its text. Any other has the code 0, unless it was interrupted, runs
 * in the background, or the result interprets its code.
 */
function exitCodeOf(
  { isError, result }: CallOutcome['block'],
  detail: JsonValue | undefined,
): number | undefined {
  if (isError) {
    const code = typeof result === 'string' ? /^Exit code (\d{1,3})(?:\n|$)/.exec(result)?.[1] : undefined
    return code === undefined ? undefined : Number(code)
  }
  if (!isJsonObject(detail) || typeof detail['stdout'] !== 'string') return undefined
  const isPlain =
    detail['interrupted'] === false &&
    detail['returnCodeInterpretation'] === undefined &&
    detail['backgroundTaskId'] === undefined
  return isPlain ? 0 : undefined
}

function metaOf(parent: string | undefined): { readonly meta?: Meta } {
  return parent === undefined ? {} : { meta: { parent } }
}
