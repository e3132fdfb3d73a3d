import type { JsonObject, SseFrame } from '@sluice/protocol'
import { failureText, isFaultOfRequest, type ModelApi, type ModelSaying, piecesOf } from './model-api.ts'

/** OpenAI's chat completions, as OpenCode uses them with an OpenAI-compatible provider. */
export const openaiChat: ModelApi = {
  matches: (path) => path === '/v1/chat/completions',
  stream: (saying, n) => [
    chunk(n, { role: 'assistant', content: '' }),
    ...piecesOf(saying.thought ?? '').map((reasoning_content) => chunk(n, { reasoning_content })),
    ...piecesOf(saying.text ?? '').map((content) => chunk(n, { content })),
    ...(saying.calls ?? []).map(({ tool, args }, index) =>
      chunk(n, {
        tool_calls: [
          {
            index,
            id: `call_${n}_${index}`,
            type: 'function',
            function: { name: tool, arguments: JSON.stringify(args) },
          },
        ],
      }),
    ),
    chunk(n, {}, stopReasonOf(saying)),
    frame({ ...base(n), choices: [], usage }),
    { data: '[DONE]' },
  ],
  failure: (status) => ({
    error: {
      message: failureText,
      type: isFaultOfRequest(status) ? 'invalid_request_error' : 'server_error',
      code: null,
    },
  }),
}

const usage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

function stopReasonOf({ calls }: ModelSaying): string {
  return calls === undefined ? 'stop' : 'tool_calls'
}

function chunk(n: number, delta: JsonObject, finish_reason: string | null = null): SseFrame {
  return frame({ ...base(n), choices: [{ index: 0, delta, finish_reason }] })
}

function base(n: number): JsonObject {
  return { id: `chatcmpl_${n}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'stub-model' }
}

function frame(value: JsonObject): SseFrame {
  return { data: JSON.stringify(value) }
}
