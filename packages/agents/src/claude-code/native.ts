import { type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { type Block, readBlocks } from './native-block.ts'
import { toCount, toName, toObject, toText } from './native-json.ts'
import { type NativeResult, readResult } from './native-result.ts'

/** A line that Claude Code prints with `--output-format stream-json`, as far as Sluice reads it. */
export type NativeLine =
  | { readonly type: 'init'; readonly session?: string; readonly model?: string; readonly version?: string }
  | { readonly type: 'retry'; readonly attempt?: number; readonly most?: number; readonly status?: number }
  | { readonly type: 'denied'; readonly tool: string; readonly call?: string }
  /** Printed because the environment requests it. `idle` means that nothing else will happen. */
  | { readonly type: 'state'; readonly isIdle: boolean }
  | { readonly type: 'compacted' }
  | { readonly type: 'other_model' }
  | { readonly type: 'rate_limit'; readonly status: string }
  | ({ readonly type: 'piece'; readonly parent: string | undefined } & Piece)
  | {
      readonly type: 'assistant'
      readonly parent: string | undefined
      readonly id: string | undefined
      /** Why the model did not answer. If present, the text is not the model's. */
      readonly error: string | undefined
      readonly blocks: readonly Block[]
    }
  | {
      readonly type: 'user'
      readonly parent: string | undefined
      readonly blocks: readonly Block[]
      /** The tool's result as a value, if there is one. */
      readonly detail: JsonValue | undefined
      /** The id of our message that Claude Code reads here. */
      readonly taken: string | undefined
    }
  /** Claude Code reads, or has read, one of our messages. */
  | { readonly type: 'taken'; readonly message: string }
  | {
      readonly type: 'ask'
      readonly id: string
      readonly tool: string
      readonly call?: string
      readonly input: JsonObject
    }
  /** A request that Sluice does not support. */
  | { readonly type: 'want'; readonly id: string }
  | { readonly type: 'unask'; readonly id: string }
  | ({ readonly type: 'result' } & NativeResult)
  /** A known line that yields no event. */
  | { readonly type: 'nothing' }
  | { readonly type: 'unknown'; readonly name: string }

/** A stream event of the message in progress. */
export type Piece =
  | { readonly piece: 'start'; readonly id: string | undefined }
  | {
      readonly piece: 'text'
      readonly channel: 'answer' | 'reasoning'
      readonly index: number
      readonly text: string
    }
  | { readonly piece: 'stop'; readonly index: number }

const nothing: NativeLine = { type: 'nothing' }

/** Known types that add nothing to the other lines. */
const silent: ReadonlySet<string> = new Set([
  'tool_progress',
  'tool_use_summary',
  'auth_status',
  'prompt_suggestion',
  'conversation_reset',
  'control_response',
  'keep_alive',
])

/** Reads a line. Never throws: a line without a known shape is `unknown`. */
export function readLine(line: JsonValue): NativeLine {
  const native = toObject(line)
  const type = toText(native['type'])
  switch (type) {
    case 'system':
      return readSystem(native)
    case 'stream_event':
      return readPiece(native)
    case 'assistant': {
      const message = toObject(native['message'])
      const error = toName(native['error'])
      return {
        type,
        parent: toName(native['parent_tool_use_id']),
        id: toName(message['id']),
        error,
        blocks: readBlocks(message['content']),
      }
    }
    case 'user': {
      const { message, tool_use_result: detail, isReplay, uuid } = native
      return {
        type,
        parent: toName(native['parent_tool_use_id']),
        blocks: readBlocks(toObject(message)['content']),
        detail,
        taken: isReplay === true ? toName(uuid) : undefined,
      }
    }
    case 'command_lifecycle': {
      const message = toName(native['command_uuid'])
      const isTaken = native['state'] === 'started' || native['state'] === 'completed'
      return isTaken && message !== undefined ? { type: 'taken', message } : nothing
    }
    case 'rate_limit_event':
      return { type: 'rate_limit', status: toText(toObject(native['rate_limit_info'])['status']) }
    case 'control_request':
      return readRequest(native)
    case 'control_cancel_request': {
      const id = toName(native['request_id'])
      return id === undefined ? nothing : { type: 'unask', id }
    }
    case 'result':
      return { type, ...readResult(native) }
    default:
      return silent.has(type) ? nothing : { type: 'unknown', name: type }
  }
}

function readSystem(native: JsonObject): NativeLine {
  switch (native['subtype']) {
    case 'init': {
      const session = toName(native['session_id'])
      const model = toName(native['model'])
      const version = toName(native['claude_code_version'])
      return omitUndefined({
        type: 'init',
        session,
        model,
        version,
      })
    }
    case 'api_retry': {
      const attempt = toCount(native['attempt'])
      const most = toCount(native['max_retries'])
      const status = toCount(native['error_status'])
      return omitUndefined({
        type: 'retry',
        attempt,
        most,
        status,
      })
    }
    case 'permission_denied': {
      const call = toName(native['tool_use_id'])
      return omitUndefined({ type: 'denied', tool: toText(native['tool_name']), call })
    }
    case 'session_state_changed':
      return { type: 'state', isIdle: native['state'] === 'idle' }
    case 'compact_boundary':
      return { type: 'compacted' }
    case 'model_refusal_fallback':
      return { type: 'other_model' }
    default:
      return nothing
  }
}

function readPiece(native: JsonObject): NativeLine {
  const parent = toName(native['parent_tool_use_id'])
  const event = toObject(native['event'])
  const index = toCount(event['index']) ?? 0
  switch (event['type']) {
    case 'message_start':
      return { type: 'piece', parent, piece: 'start', id: toName(toObject(event['message'])['id']) }
    case 'content_block_delta': {
      const delta = toObject(event['delta'])
      if (delta['type'] === 'text_delta')
        return { type: 'piece', parent, piece: 'text', channel: 'answer', index, text: toText(delta['text']) }
      if (delta['type'] === 'thinking_delta') {
        const text = toText(delta['thinking'])
        return { type: 'piece', parent, piece: 'text', channel: 'reasoning', index, text }
      }
      return nothing
    }
    case 'content_block_stop':
      return { type: 'piece', parent, piece: 'stop', index }
    default:
      return nothing
  }
}

function readRequest(native: JsonObject): NativeLine {
  const id = toName(native['request_id'])
  if (id === undefined) return nothing
  const request = toObject(native['request'])
  const tool = toName(request['tool_name'])
  if (request['subtype'] !== 'can_use_tool' || tool === undefined) return { type: 'want', id }
  const call = toName(request['tool_use_id'])
  return omitUndefined({ type: 'ask', id, tool, call, input: toObject(request['input']) })
}
