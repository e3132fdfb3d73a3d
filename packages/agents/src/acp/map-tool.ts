import type { ToolKind } from '@agentclientprotocol/sdk'
import {
  emptyTable,
  isJsonObject,
  type JsonValue,
  omitUndefined,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import { type ToolFields, toArray, toObject } from './native.ts'

/** A tool call, as its messages so far describe it. */
export interface NativeCall {
  readonly tool: string | undefined
  readonly title: string | undefined
  readonly kind: ToolKind | undefined
  readonly locations: readonly string[]
  readonly content: readonly JsonValue[] | undefined
  readonly input: JsonValue | undefined
  readonly output: JsonValue | undefined
  /** The tool name in the emitted `tool-call`; undefined before that event. */
  readonly toldAs: string | undefined
  readonly isDone: boolean
}

export type Calls = Table<NativeCall>

export interface CallStep {
  readonly calls: Calls
  readonly events: readonly SluiceEvent[]
}

export const noCalls: Calls = emptyTable()

const unseen: NativeCall = {
  tool: undefined,
  title: undefined,
  kind: undefined,
  locations: [],
  content: undefined,
  input: undefined,
  output: undefined,
  toldAs: undefined,
  isDone: false,
}

/**
 * Merges a message into its call. Emits `tool-call` once the call runs, because agents announce calls while
 * still writing their arguments, and `tool-result` when the call ends. Ignores later messages.
 */
export function addTool(calls: Calls, fields: ToolFields): CallStep {
  const known = tableGet(calls, fields.id)
  if (known?.isDone === true) return { calls, events: [] }
  const call = merge(known, fields)
  const { status } = fields
  if (status === undefined || status === 'pending')
    return { calls: tableSet(calls, fields.id, call), events: [] }
  const told = tellCall(tableSet(calls, fields.id, call), fields.id)
  if (status !== 'completed' && status !== 'failed') return told
  return {
    // Keeps only the fact that the call has ended.
    calls: tableSet(told.calls, fields.id, { ...unseen, isDone: true }),
    events: [...told.events, toResult(fields.id, call, status)],
  }
}

/** Emits `tool-call` even if the call does not run, unless it was emitted before. */
export function tellCall(calls: Calls, id: string): CallStep {
  const call = tableGet(calls, id)
  if (call === undefined || call.isDone || call.toldAs !== undefined) return { calls, events: [] }
  const tool = toolOf(call)
  const args = argsOf(call)
  return {
    calls: tableSet(calls, id, { ...call, toldAs: tool }),
    events: [omitUndefined({ kind: 'tool-call', call: id, tool, args })],
  }
}

/** Ends a call as an error if its `tool-call` was emitted and it has no result. */
export function failCall(calls: Calls, id: string): CallStep {
  const call = tableGet(calls, id)
  if (call === undefined || call.isDone || call.toldAs === undefined) return { calls, events: [] }
  return {
    calls: tableSet(calls, id, { ...unseen, isDone: true }),
    events: [{ kind: 'tool-result', call: id, tool: call.toldAs, status: 'error' }],
  }
}

/** The name of its tool, or the kind of tool if the agent gives no name. */
export function toolOf({ toldAs, tool, kind }: NativeCall): string {
  return toldAs ?? tool ?? kind ?? 'tool'
}

function merge(known: NativeCall | undefined, fields: ToolFields): NativeCall {
  const call = known ?? unseen
  return {
    ...call,
    tool: fields.name ?? call.tool ?? (known === undefined ? nameInTitle(fields) : undefined),
    title: fields.title ?? call.title,
    kind: fields.kind ?? call.kind,
    locations: fields.locations.length > 0 ? fields.locations : call.locations,
    content: fields.content ?? call.content,
    input: isBlank(fields.input) ? (call.input ?? fields.input) : fields.input,
    output: fields.output ?? call.output,
  }
}

/** OpenCode announces a call with the name of its tool as the title. Other titles describe the arguments. */
function nameInTitle({ title, input }: ToolFields): string | undefined {
  if (title === undefined || !/^[a-z]\w{0,63}$/i.test(title)) return undefined
  return input !== undefined && JSON.stringify(input).includes(title) ? undefined : title
}

/** Gemini CLI sends no arguments, only a description of them for people. */
function argsOf({ input, title, tool, locations, content = [] }: NativeCall): JsonValue | undefined {
  if (input !== undefined) return input
  if (title === undefined || title === tool) return undefined
  return {
    title,
    ...(locations.length === 0 ? {} : { locations }),
    ...(content.length === 0 ? {} : { content }),
  }
}

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || (isJsonObject(value) && Object.keys(value).length === 0)
}

function toResult(id: string, call: NativeCall, status: 'completed' | 'failed'): SluiceEvent {
  const result = call.output ?? toContent(call.content)
  const exitCode = exitCodeOf(call.output)
  // OpenCode reports a failed command as a completed call.
  const isError = status === 'failed' || (exitCode !== undefined && exitCode !== 0)
  return omitUndefined({
    kind: 'tool-result',
    call: id,
    tool: toolOf(call),
    status: isError ? 'error' : 'success',
    result,
    exitCode,
  })
}

/** Joins content that consists of text only; returns any other content unchanged. */
function toContent(content: readonly JsonValue[] | undefined): JsonValue | undefined {
  if (content === undefined || content.length === 0) return undefined
  const texts = toArray(content).map((item) => {
    const { type, text } = toObject(toObject(item)['content'])
    return type === 'text' ? text : undefined
  })
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : content
}

function exitCodeOf(output: JsonValue | undefined): number | undefined {
  const { exitCode, exit_code, metadata } = toObject(output)
  return [exitCode, exit_code, toObject(metadata)['exit']].find(
    (code): code is number => typeof code === 'number' && Number.isSafeInteger(code),
  )
}
