import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type StateData,
  type TextChannel,
} from '@sluice/protocol'
import { readPlan } from '../cli/read-plan.ts'

/** A line of `codex exec --json`, as far as Sluice reads it. */
export type NativeEvent =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'turn-start' }
  | { readonly type: 'turn-end'; readonly usage: JsonObject }
  | { readonly type: 'turn-failure'; readonly message: string }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'item'; readonly phase: ItemPhase; readonly item: NativeItem }
  | { readonly type: 'delta'; readonly id: string; readonly text: string }
  | { readonly type: 'unknown'; readonly name: string }

export type ItemPhase = 'start' | 'update' | 'end'

export type NativeItem =
  | { readonly type: 'text'; readonly id: string; readonly channel: TextChannel; readonly text: string }
  | NativeTool
  | { readonly type: 'plan'; readonly plan: StateData | undefined }
  | { readonly type: 'warning' }
  | { readonly type: 'unknown'; readonly name: string }

export interface NativeTool {
  readonly type: 'tool'
  readonly id: string
  readonly tool: string
  readonly args: JsonValue | undefined
  readonly result: JsonValue | undefined
  readonly exitCode: number | undefined
  /** `in_progress`, `completed`, `failed`, `declined`, or nothing. */
  readonly status: string | undefined
}

/** Reads a line; undefined if it is not an event. */
export function readLine(line: JsonValue): NativeEvent | undefined {
  if (!isJsonObject(line)) return undefined
  const type = textOf(line['type'])
  switch (type) {
    case undefined:
      return undefined
    case 'thread.started':
    case 'thread.resumed':
      return { type: 'session', id: textOf(line['thread_id']) ?? '' }
    case 'turn.started':
      return { type: 'turn-start' }
    case 'turn.completed':
      return { type: 'turn-end', usage: objectOf(line['usage']) }
    case 'turn.failed':
      return { type: 'turn-failure', message: textOf(objectOf(line['error'])['message']) ?? '' }
    case 'error':
      return { type: 'error', message: textOf(line['message']) ?? '' }
    case 'item.started':
    case 'item.created':
      return { type: 'item', phase: 'start', item: readItem(objectOf(line['item'])) }
    case 'item.updated':
      return { type: 'item', phase: 'update', item: readItem(objectOf(line['item'])) }
    case 'item.completed':
      return { type: 'item', phase: 'end', item: readItem(objectOf(line['item'])) }
    case 'item.failed':
      return { type: 'item', phase: 'end', item: readItem({ ...objectOf(line['item']), status: 'failed' }) }
    case 'item.delta':
    case 'item.plan.delta':
      return readDelta(line)
    default:
      return { type: 'unknown', name: type }
  }
}

function readItem(item: JsonObject): NativeItem {
  const id = textOf(item['id']) ?? ''
  const type = textOf(item['type']) ?? textOf(item['item_type']) ?? ''
  switch (type) {
    case 'agent_message':
    case 'assistant_message':
    case 'plan':
      return { type: 'text', id, channel: 'answer', text: textOf(item['text']) ?? '' }
    case 'reasoning':
      return { type: 'text', id, channel: 'reasoning', text: textOf(item['text']) ?? '' }
    case 'command_execution':
      return toTool(item, { tool: type, args: pick(item, 'command'), result: item['aggregated_output'] })
    case 'file_change':
      return toTool(item, { tool: type, args: pick(item, 'changes') })
    case 'mcp_tool_call': {
      const name = `${textOf(item['server']) ?? ''}/${textOf(item['tool']) ?? ''}`
      return toTool(item, { tool: name, args: item['arguments'], result: item['result'] ?? item['error'] })
    }
    case 'web_search':
      return toTool(item, { tool: type, args: pick(item, 'query', 'action'), result: item['results'] })
    case 'collab_tool_call': {
      const args = pick(item, 'prompt', 'receiver_thread_ids')
      return toTool(item, { tool: textOf(item['tool']) ?? type, args, result: item['agents_states'] })
    }
    case 'todo_list':
      return { type: 'plan', plan: readTodos(item['items']) }
    case 'error':
      return { type: 'warning' }
    default:
      return { type: 'unknown', name: `item.${type}` }
  }
}

interface ToolFields {
  readonly tool: string
  readonly args: JsonValue | undefined
  readonly result?: JsonValue | undefined
}

function toTool(item: JsonObject, { tool, args, result }: ToolFields): NativeTool {
  const { id, exit_code: exitCode, status } = item
  return {
    type: 'tool',
    // A web search has two ids, at its start and at its end. JSON.parse keeps the second of them.
    id: textOf(id) ?? '',
    tool,
    args: args ?? undefined,
    result: result === '' ? undefined : (result ?? undefined),
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : undefined,
    status: textOf(status),
  }
}

/** Codex reports which steps are done, but not the current one. */
function readTodos(items: JsonValue | undefined): StateData | undefined {
  if (!Array.isArray(items)) return undefined
  const steps = items.filter(isJsonObject).map(({ text, completed }) =>
    omitUndefined({
      text,
      status: completed === true ? 'completed' : 'pending',
    }),
  )
  return readPlan(steps, 'text')
}

/** A piece of a message: a string, or an object that contains one. */
function readDelta({ item_id: id, delta }: JsonObject): NativeEvent {
  const { text_delta: piece, text } = objectOf(delta)
  return { type: 'delta', id: textOf(id) ?? '', text: textOf(delta) ?? textOf(piece) ?? textOf(text) ?? '' }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The members with these names, if present. */
function pick(item: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (item[name] == null ? [] : [[name, item[name]]])))
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
