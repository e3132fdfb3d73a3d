import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'

/**
 * A line that OpenCode prints with `--format json`, as far as Sluice reads it. Every line names the session.
 */
export interface NativeLine {
  readonly session: string | undefined
  readonly body: NativeBody
}

export type NativeBody =
  | { readonly type: 'step_start' }
  | { readonly type: 'step_finish'; readonly reason: string; readonly usage: NativeUsage }
  | NativeText
  | NativeTool
  | { readonly type: 'error'; readonly name: string; readonly status: number | undefined }
  | { readonly type: 'done'; readonly hasRefused: boolean }
  | { readonly type: 'unknown'; readonly name: string }
  | { readonly type: 'malformed' }

/** A text or a thought, always whole. */
export interface NativeText {
  readonly type: 'text' | 'reasoning'
  readonly id: string | undefined
  readonly message: string
  readonly text: string
}

/** A tool that has ended. OpenCode does not report its start. */
export interface NativeTool {
  readonly type: 'tool_use'
  readonly call: string
  readonly tool: string
  readonly isError: boolean
  /** It needed a permission that OpenCode itself refused. OpenCode stops after that. */
  readonly isRefused: boolean
  readonly args?: JsonValue
  /** The argument `todos`, which the plan tool has. */
  readonly todos?: JsonValue
  readonly result?: JsonValue
  readonly exitCode?: number
  readonly durationMs?: number
}

/** What one step used. No token is counted twice. */
export interface NativeUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** In US dollars. */
  readonly cost: number
}

/** Reads a line. Never throws: a line of unknown type is `unknown`, any other unreadable line `malformed`. */
export function readLine(line: JsonValue): NativeLine {
  if (!isJsonObject(line)) return { session: undefined, body: { type: 'malformed' } }
  const session = line['sessionID']
  return { session: isName(session) ? session : undefined, body: readBody(line) }
}

function readBody(line: JsonObject): NativeBody {
  const { type } = line
  const part = isJsonObject(line['part']) ? line['part'] : {}
  switch (type) {
    case 'step_start':
      return { type }
    case 'step_finish':
      return { type, reason: toText(part['reason']), usage: readUsage(part) }
    case 'text':
    case 'reasoning':
      return {
        type,
        id: isName(part['id']) ? part['id'] : undefined,
        message: toText(part['messageID']),
        text: toText(part['text']),
      }
    case 'tool_use':
      return readTool(part)
    case 'error':
      return readError(line['error'])
    case 'done':
      return { type, hasRefused: Array.isArray(line['rejected']) && line['rejected'].length > 0 }
    default:
      return isName(type) ? { type: 'unknown', name: type } : { type: 'malformed' }
  }
}

function readTool({ callID: call, tool, state }: JsonObject): NativeBody {
  if (!isName(call) || !isName(tool) || !isJsonObject(state)) return { type: 'malformed' }
  const { input: args, metadata, time } = state
  const isError = state['status'] === 'error'
  const result = isError ? state['error'] : state['output']
  const exit = isJsonObject(metadata) ? metadata['exit'] : undefined
  const { start, end } = isJsonObject(time) ? time : {}
  return {
    type: 'tool_use',
    call,
    tool,
    isError,
    isRefused: isError && toText(state['error']).startsWith('The user rejected permission'),
    ...omitUndefined({ args }),
    ...(isJsonObject(args) && args['todos'] !== undefined ? { todos: args['todos'] } : {}),
    ...omitUndefined({ result }),
    ...(Number.isInteger(exit) ? { exitCode: Number(exit) } : {}),
    ...(typeof start === 'number' && typeof end === 'number' && end >= start
      ? { durationMs: end - start }
      : {}),
  }
}

function readError(error: JsonValue | undefined): NativeBody {
  const { name, data } = isJsonObject(error) ? error : {}
  const status = isJsonObject(data) ? data['statusCode'] : undefined
  return { type: 'error', name: toText(name), status: typeof status === 'number' ? status : undefined }
}

function readUsage({ tokens, cost }: JsonObject): NativeUsage {
  const counts = isJsonObject(tokens) ? tokens : {}
  const cache = isJsonObject(counts['cache']) ? counts['cache'] : {}
  return {
    input: toCount(counts['input']),
    output: toCount(counts['output']),
    reasoning: toCount(counts['reasoning']),
    cacheRead: toCount(cache['read']),
    cacheWrite: toCount(cache['write']),
    cost: toCount(cost),
  }
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function toCount(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0
}
