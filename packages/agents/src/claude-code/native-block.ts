import type { JsonObject, JsonValue } from '@sluice/protocol'
import { toArray, toName, toObject, toText } from './native-json.ts'

/** A part of a message that matters here. */
export type Block =
  | { readonly type: 'text'; readonly channel: 'answer' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly call: string; readonly tool: string; readonly args: JsonValue }
  | {
      readonly type: 'outcome'
      readonly call: string
      readonly isError: boolean
      readonly result: JsonValue | undefined
    }

/** Reads the content blocks of a message. Skips all other content, including a plain string. */
export function readBlocks(content: JsonValue | undefined): readonly Block[] {
  return toArray(content).flatMap((block) => readBlock(toObject(block)))
}

function readBlock(block: JsonObject): readonly Block[] {
  const type = toText(block['type'])
  switch (type) {
    case 'text':
      return [{ type, channel: 'answer', text: toText(block['text']) }]
    case 'thinking':
      return [{ type: 'text', channel: 'reasoning', text: toText(block['thinking']) }]
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const call = toName(block['id'])
      const tool = toName(block['name'])
      return call === undefined || tool === undefined
        ? []
        : [{ type: 'call', call, tool, args: block['input'] ?? {} }]
    }
    default:
      // The provider's own tools have results of several types.
      return type.endsWith('tool_result') ? readOutcome(block) : []
  }
}

function readOutcome(block: JsonObject): readonly Block[] {
  const call = toName(block['tool_use_id'])
  if (call === undefined) return []
  const { content } = block
  const isError = block['is_error'] === true || toText(toObject(content)['type']).endsWith('_error')
  return [{ type: 'outcome', call, isError, result: toResult(content) }]
}

/** Joins content that consists of text only; returns any other content unchanged. */
function toResult(content: JsonValue | undefined): JsonValue | undefined {
  const parts = toArray(content).map(toObject)
  const isText =
    parts.length > 0 && parts.every(({ type, text }) => type === 'text' && typeof text === 'string')
  return isText ? parts.map(({ text }) => toText(text)).join('\n') : content
}
