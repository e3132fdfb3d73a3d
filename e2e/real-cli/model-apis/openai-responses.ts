import type { JsonObject, SseFrame } from '@sluice/protocol'
import { failureText, isFaultOfRequest, type ModelApi, type ModelSaying, piecesOf } from './model-api.ts'

/** OpenAI's Responses, as Codex uses them. */
export const openaiResponses: ModelApi = {
  matches: (path) => path === '/v1/responses',
  stream(saying, n) {
    const items = itemsOf(saying, n)
    const response = { id: `resp_${n}`, object: 'response', model: 'gpt-5.5' }
    return [
      frame({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
      ...items.flatMap(({ item, deltas }, output_index) => [
        frame({ type: 'response.output_item.added', output_index, item }),
        ...deltas.map((delta) => frame({ ...delta, output_index })),
        frame({ type: 'response.output_item.done', output_index, item }),
      ]),
      frame({
        type: 'response.completed',
        response: { ...response, status: 'completed', output: items.map(({ item }) => item), usage },
      }),
    ]
  },
  failure: (status) => ({
    error: {
      message: failureText,
      type: isFaultOfRequest(status) ? 'invalid_request_error' : 'server_error',
    },
  }),
}

const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 18,
}

interface Item {
  readonly item: JsonObject
  readonly deltas: readonly (JsonObject & { readonly type: string })[]
}

function itemsOf({ thought, text, calls }: ModelSaying, n: number): readonly Item[] {
  const items: Item[] = []
  if (thought !== undefined) {
    const item = { type: 'reasoning', id: `rs_${n}`, summary: [{ type: 'summary_text', text: thought }] }
    items.push({ item, deltas: [] })
  }
  if (text !== undefined) {
    const id = `msg_${n}`
    items.push({
      item: {
        type: 'message',
        id,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
      deltas: piecesOf(text).map((delta) => ({
        type: 'response.output_text.delta',
        item_id: id,
        content_index: 0,
        delta,
      })),
    })
  }
  for (const [index, { tool, args }] of (calls ?? []).entries()) {
    const id = `fc_${n}_${index}`
    const item = {
      type: 'function_call',
      id,
      call_id: `call_${n}_${index}`,
      name: tool,
      arguments: JSON.stringify(args),
      status: 'completed',
    }
    items.push({ item, deltas: [] })
  }
  return items
}

function frame(event: JsonObject & { readonly type: string }): SseFrame {
  return { event: event.type, data: JSON.stringify(event) }
}
