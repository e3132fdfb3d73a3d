import {
  emptyTable,
  isJsonObject,
  type JsonValue,
  type Meta,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import { readPlan } from '../cli/read-plan.ts'
import type { Block } from './native-block.ts'
import { toObject } from './native-json.ts'

/** The calls that were told, by their ids. */
export type Calls = Table<{ readonly tool: string; readonly isDone: boolean }>

export interface CallStep {
  readonly calls: Calls
  readonly events: readonly SluiceEvent[]
}

export const noCalls: Calls = emptyTable()

/** A call came with its arguments; again: nothing. */
export function addCall(calls: Calls, block: Block & { type: 'call' }, parent: string | undefined): CallStep {
  const { call, tool, args } = block
  if (tableGet(calls, call) !== undefined) return { calls, events: [] }
  const meta = metaOf(parent)
  // A plan of an agent that was started is not the plan of the run.
  const plan =
    tool === 'TodoWrite' && parent === undefined ? readPlan(toObject(args)['todos'], 'content') : undefined
  return {
    calls: tableSet(calls, call, { tool, isDone: false }),
    events: [{ kind: 'tool-call', call, tool, args, ...meta }, ...(plan === undefined ? [] : [plan])],
  }
}

/** A call is over; again: nothing. `detail` is what the tool gave as a value, where it is known to be of this call. */
export function endCall(
  calls: Calls,
  block: Block & { type: 'outcome' },
  parent: string | undefined,
  detail?: JsonValue,
): CallStep {
  const { call, isError, result } = block
  const known = tableGet(calls, call)
  // What was not called here is of an earlier run, or means nothing.
  if (known === undefined || known.isDone) return { calls, events: [] }
  const { tool } = known
  const exitCode = tool === 'Bash' ? exitCodeOf(isError, result, detail) : undefined
  const event: SluiceEvent = {
    kind: 'tool-result',
    call,
    tool,
    status: isError ? 'error' : 'success',
    ...(result === undefined ? {} : { result }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...metaOf(parent),
  }
  return { calls: tableSet(calls, call, { tool, isDone: true }), events: [event] }
}

/** A command that failed says its code in its text. One that did not has none but 0, unless its code is explained. */
function exitCodeOf(isError: boolean, result: JsonValue | undefined, detail?: JsonValue): number | undefined {
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
