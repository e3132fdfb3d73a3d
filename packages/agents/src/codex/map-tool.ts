import { isJsonObject, type SluiceEvent, type Table, tableGet, tableSet } from '@sluice/protocol'
import type { ItemPhase, NativeTool } from './native.ts'

/** How far a call has come. */
export type CallTrack = 'open' | 'done'

export interface MappedTool {
  readonly calls: Table<CallTrack>
  readonly events: readonly SluiceEvent[]
}

/** A tool that begins, goes on or ends. One that is told at its end only is called and answered at once. */
export function mapTool(calls: Table<CallTrack>, item: NativeTool, phase: ItemPhase): MappedTool {
  const known = tableGet(calls, item.id)
  const isEnd = phase === 'end'
  if (known === 'done' || (!isEnd && (known === 'open' || isVague(item)))) return { calls, events: [] }
  const events = [...(known === 'open' ? [] : [toCall(item)]), ...(isEnd ? [toResult(item)] : [])]
  return { calls: tableSet(calls, item.id, isEnd ? 'done' : 'open'), events }
}

/** A search begins without saying what for; that comes with its end. */
function isVague({ tool, args }: NativeTool): boolean {
  return tool === 'web_search' && isJsonObject(args) && args['query'] === ''
}

function toCall({ id, tool, args }: NativeTool): SluiceEvent {
  return { kind: 'tool-call', call: id, tool, ...(args === undefined ? {} : { args }) }
}

function toResult({ id, tool, result, exitCode, status }: NativeTool): SluiceEvent {
  const problem = status === undefined ? undefined : problems.get(status)
  return {
    kind: 'tool-result',
    call: id,
    tool,
    status: problem === undefined ? 'success' : 'error',
    ...(result === undefined ? {} : { result }),
    ...(problem === undefined || problem === '' ? {} : { message: problem }),
    ...(exitCode === undefined ? {} : { exitCode }),
  }
}

/** The states in which an item did not end well, and what is said of them. */
const problems: ReadonlyMap<string, string> = new Map([
  ['failed', ''],
  ['declined', 'declined'],
  ['in_progress', 'not finished'],
])
