import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'

/** A line that Gemini CLI prints with `--output-format stream-json`, as far as Sluice reads it. */
export type NativeLine =
  | { readonly type: 'init'; readonly session?: string; readonly model?: string }
  | {
      readonly type: 'message'
      readonly role: 'assistant' | 'other'
      readonly content: string
      readonly isDelta: boolean
    }
  | {
      readonly type: 'tool_use'
      readonly id: string
      readonly tool: string
      readonly args?: JsonValue
      /** The argument `todos`, which the plan tool has. */
      readonly todos?: JsonValue
    }
  | {
      readonly type: 'tool_result'
      readonly id: string
      readonly isError: boolean
      readonly output?: JsonValue
    }
  | { readonly type: 'error'; readonly isWarning: boolean; readonly message: string }
  | { readonly type: 'result'; readonly error?: NativeError; readonly stats?: NativeStats }
  | { readonly type: 'unknown'; readonly name: string }
  | { readonly type: 'malformed' }

/** Why a run ended: the name of the error's class, and its text, which is never shown. */
export interface NativeError {
  readonly type: string
  readonly message: string
}

/** What a run used. Input tokens include cached ones. */
export interface NativeStats {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  /** The model, if only one was used. */
  readonly model?: string
}

/** Reads a line. Never throws: a line of unknown type is `unknown`, any other unreadable line `malformed`. */
export function readLine(line: JsonValue): NativeLine {
  if (!isJsonObject(line)) return { type: 'malformed' }
  const { type } = line
  switch (type) {
    case 'init':
      return { type: 'init', ...textAs('session', line['session_id']), ...textAs('model', line['model']) }
    case 'message':
      return {
        type: 'message',
        role: line['role'] === 'assistant' ? 'assistant' : 'other',
        content: toText(line['content']),
        isDelta: line['delta'] === true,
      }
    case 'tool_use':
      return toToolUse(line)
    case 'tool_result':
      return toToolResult(line)
    case 'error':
      return {
        type: 'error',
        isWarning: line['severity'] !== 'error',
        message: toText(line['message']),
      }
    case 'result':
      return toResult(line)
    default:
      return isName(type) ? { type: 'unknown', name: type } : { type: 'malformed' }
  }
}

function toToolUse(line: JsonObject): NativeLine {
  const { tool_id: id, tool_name: tool, parameters: args } = line
  if (!isName(id) || !isName(tool)) return { type: 'malformed' }
  const todos = isJsonObject(args) ? args['todos'] : undefined
  return omitUndefined({
    type: 'tool_use',
    id,
    tool,
    args,
    todos,
  })
}

function toToolResult(line: JsonObject): NativeLine {
  const { tool_id: id, output, error, status } = line
  if (!isName(id)) return { type: 'malformed' }
  // A tool whose result is not text prints none. A failed tool may report that only in its error.
  const given = output ?? (isJsonObject(error) ? error['message'] : undefined)
  return {
    type: 'tool_result',
    id,
    isError: status === 'error' || isJsonObject(error),
    ...omitUndefined({ output: given ?? undefined }),
  }
}

function toResult({ status, error, stats }: JsonObject): NativeLine {
  const isError = status !== 'success' || isJsonObject(error)
  const { type, message } = isJsonObject(error) ? error : {}
  return {
    type: 'result',
    ...(isError ? { error: { type: toText(type), message: toText(message) } } : {}),
    ...(isJsonObject(stats) ? { stats: toStats(stats) } : {}),
  }
}

function toStats(stats: JsonObject): NativeStats {
  const names = isJsonObject(stats['models']) ? Object.keys(stats['models']) : []
  return {
    ...countAs('inputTokens', stats['input_tokens']),
    ...countAs('outputTokens', stats['output_tokens']),
    ...countAs('cachedTokens', stats['cached']),
    ...(names.length === 1 ? textAs('model', names[0]) : {}),
  }
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function textAs<K extends string>(key: K, value: JsonValue | undefined): { readonly [name in K]?: string } {
  // A computed key widens to string: it is K.
  return isName(value) ? ({ [key]: value } as { [name in K]: string }) : {}
}

function countAs<K extends string>(key: K, value: JsonValue | undefined): { readonly [name in K]?: number } {
  // As above.
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? ({ [key]: value } as { [name in K]: number })
    : {}
}
