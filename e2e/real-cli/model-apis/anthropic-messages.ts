import type { JsonObject, SseFrame } from '@sluice/protocol'
import { failureText, isFaultOfRequest, type ModelApi, type ModelSaying, piecesOf } from './model-api.ts'

/** Anthropic's Messages, as Claude Code uses them. */
export const anthropicMessages: ModelApi = {
  matches: (path) => path === '/v1/messages',
  stream(saying, n) {
    const blocks = [
      ...(saying.thought === undefined ? [] : [thoughtBlock(saying.thought)]),
      ...(saying.text === undefined ? [] : [textBlock(saying.text)]),
      ...(saying.calls ?? []).map(({ tool, args }, index) => callBlock(`toolu_${n}_${index}`, tool, args)),
    ]
    return [
      frame({ type: 'message_start', message: { ...messageOf(n), content: [], stop_reason: null } }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        frame({ type: 'content_block_start', index, content_block: start }),
        ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
        frame({ type: 'content_block_stop', index }),
      ]),
      frame({
        type: 'message_delta',
        delta: { stop_reason: stopReasonOf(saying), stop_sequence: null },
        usage: { output_tokens: 7 },
      }),
      frame({ type: 'message_stop' }),
    ]
  },
  whole: (saying, n) => ({
    ...messageOf(n),
    content: [{ type: 'text', text: saying.text ?? '' }],
    stop_reason: stopReasonOf(saying),
  }),
  failure: (status) => ({
    type: 'error',
    error: { type: typeOf(status), message: failureText },
  }),
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error'
  return isFaultOfRequest(status) ? 'invalid_request_error' : 'api_error'
}

interface Block {
  readonly start: JsonObject
  readonly deltas: readonly JsonObject[]
}

function thoughtBlock(thought: string): Block {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...piecesOf(thought).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ],
  }
}

function textBlock(text: string): Block {
  return {
    start: { type: 'text', text: '' },
    deltas: piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })),
  }
}

function callBlock(id: string, name: string, args: JsonObject): Block {
  return {
    start: { type: 'tool_use', id, name, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(args) }],
  }
}

function messageOf(n: number): JsonObject {
  return {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 0 },
  }
}

function stopReasonOf({ calls }: ModelSaying): string {
  return calls === undefined ? 'end_turn' : 'tool_use'
}

function frame(event: JsonObject & { readonly type: string }): SseFrame {
  return { event: event.type, data: JSON.stringify(event) }
}
