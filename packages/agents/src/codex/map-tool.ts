import {
  isJsonObject,
  omitUndefined,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import type { ItemPhase, NativeTool } from './native.ts'

/** Whether a call has ended. */
export type CallTrack = 'open' | 'done'

export interface MappedTool {
  readonly calls: Table<CallTrack>
  readonly events: readonly SluiceEvent[]
}

/**
 * Maps the start, an update or the end of a tool. If codex reports only the end, call and result go together.
 */
export function mapTool(calls: Table<CallTrack>, item: NativeTool, phase: ItemPhase): MappedTool {
  const known = tableGet(calls, item.id)
  const isEnd = phase === 'end'
  if (known === 'done' || (!isEnd && (known === 'open' || isVague(item)))) return { calls, events: [] }
  const events = [...(known === 'open' ? [] : [toCall(item)]), ...(isEnd ? [toResult(item)] : [])]
  return { calls: tableSet(calls, item.id, isEnd ? 'done' : 'open'), events }
}

/** A search starts without its query, which arrives with its end. */
function isVague({ tool, args }: NativeTool): boolean {
  return tool === 'web_search' && isJsonObject(args) && args['query'] === ''
}

function toCall({ id, tool, args }: NativeTool): SluiceEvent {
  return omitUndefined({ kind: 'tool-call', call: id, tool, args })
}

function toResult({ id, tool, result, exitCode, status }: NativeTool): SluiceEvent {
  const problem = status === undefined ? undefined : problems.get(status)
  return {
    kind: 'tool-result',
    call: id,
    tool,
    status: problem === undefined ? 'success' : 'error',
    ...omitUndefined({ result, message: problem || undefined, exitCode }),
  }
}

/** The states of an item that did not end well, with the message for each. */
const problems: ReadonlyMap<string, string> = new Map([
  ['failed', ''],
  ['declined', 'declined'],
  ['in_progress', 'not finished'],
])
