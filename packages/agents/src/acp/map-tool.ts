import type { ToolKind } from '@agentclientprotocol/sdk'
import {
  emptyTable,
  isJsonObject,
  type JsonValue,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
} from '@sluice/protocol'
import { type ToolFields, toArray, toObject } from './native.ts'

/** A tool's call, with what its messages told so far. */
export interface NativeCall {
  readonly tool: string | undefined
  readonly title: string | undefined
  readonly kind: ToolKind | undefined
  readonly locations: readonly string[]
  readonly content: readonly JsonValue[] | undefined
  readonly input: JsonValue | undefined
  readonly output: JsonValue | undefined
  /** It was told under this name. */
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
 * Takes what a message tells of a call. The call is told once it runs, since agents announce calls while their arguments
 * are still being written; its result is told when it is over. What comes later is dropped.
 */
export function addTool(calls: Calls, fields: ToolFields): CallStep {
  const known = tableGet(calls, fields.id)
  if (known?.isDone === true) return { calls, events: [] }
  const call = merge(known ?? unseen, fields, known === undefined)
  const { status } = fields
  if (status === undefined || status === 'pending')
    return { calls: tableSet(calls, fields.id, call), events: [] }
  const told = tellCall(tableSet(calls, fields.id, call), fields.id)
  if (status !== 'completed' && status !== 'failed') return told
  return {
    // Nothing is kept of a call that is over but that it was there.
    calls: tableSet(told.calls, fields.id, { ...unseen, isDone: true }),
    events: [...told.events, toResult(fields.id, call, status)],
  }
}

/** Tells a call, if it was not told yet, though it does not run. */
export function tellCall(calls: Calls, id: string): CallStep {
  const call = tableGet(calls, id)
  if (call === undefined || call.isDone || call.toldAs !== undefined) return { calls, events: [] }
  const tool = toolOf(call)
  const args = argsOf(call)
  return {
    calls: tableSet(calls, id, { ...call, toldAs: tool }),
    events: [{ kind: 'tool-call', call: id, tool, ...(args === undefined ? {} : { args }) }],
  }
}

/** A call that was told and has no end did not work. */
export function failCall(calls: Calls, id: string): CallStep {
  const call = tableGet(calls, id)
  if (call === undefined || call.isDone || call.toldAs === undefined) return { calls, events: [] }
  return {
    calls: tableSet(calls, id, { ...unseen, isDone: true }),
    events: [{ kind: 'tool-result', call: id, tool: call.toldAs, status: 'error' }],
  }
}

/** The name of its tool; where none is told, the kind of tool. */
export function toolOf({ toldAs, tool, kind }: NativeCall): string {
  return toldAs ?? tool ?? kind ?? 'tool'
}

function merge(call: NativeCall, fields: ToolFields, isFirst: boolean): NativeCall {
  return {
    ...call,
    tool: fields.name ?? call.tool ?? (isFirst ? nameInTitle(fields) : undefined),
    title: fields.title ?? call.title,
    kind: fields.kind ?? call.kind,
    locations: fields.locations.length > 0 ? fields.locations : call.locations,
    content: fields.content ?? call.content,
    input: isBlank(fields.input) ? (call.input ?? fields.input) : fields.input,
    output: fields.output ?? call.output,
  }
}

/** OpenCode announces a call under the name of its tool. Other titles describe the arguments, and are not shown as a name. */
function nameInTitle({ title, input }: ToolFields): string | undefined {
  if (title === undefined || !/^[a-z]\w{0,63}$/i.test(title)) return undefined
  return input !== undefined && JSON.stringify(input).includes(title) ? undefined : title
}

/** Gemini CLI tells no arguments, but what a person needs to know of them. */
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
  // To OpenCode a command that failed is a call that went well.
  const isError = status === 'failed' || (exitCode !== undefined && exitCode !== 0)
  return {
    kind: 'tool-result',
    call: id,
    tool: toolOf(call),
    status: isError ? 'error' : 'success',
    ...(result === undefined ? {} : { result }),
    ...(exitCode === undefined ? {} : { exitCode }),
  }
}

/** Text alone as a text, anything else as it came. */
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
