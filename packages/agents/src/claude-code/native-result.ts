import type { JsonObject, JsonValue } from '@sluice/protocol'
import { toAmount, toArray, toCount, toName, toObject, toText } from './native-json.ts'

/** How a turn ended. Its texts are never shown, except the model's own. */
export interface NativeResult {
  readonly isError: boolean
  readonly subtype: string
  readonly text: string
  readonly errors: readonly string[]
  /** The HTTP status of the model's API, if that failed. */
  readonly status: number | undefined
  readonly reason: string
  readonly usage: NativeUsage
}

export interface NativeUsage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number | undefined
  /** Of this turn, in dollars. */
  readonly cost: number | undefined
  /** Of the whole session, including earlier runs. */
  readonly totalCost: number | undefined
  /** The model, if only one was used. */
  readonly model: string | undefined
}

export function readResult(native: JsonObject): NativeResult {
  const subtype = toText(native['subtype'])
  return {
    isError: native['is_error'] === true || subtype !== 'success',
    subtype,
    text: toText(native['result']),
    errors: toArray(native['errors']).map(toText),
    status: toCount(native['api_error_status']),
    reason: toText(native['terminal_reason']),
    usage: readUsage(native),
  }
}

function readUsage(native: JsonObject): NativeUsage {
  const usage = toObject(native['usage'])
  const cachedTokens = toCount(usage['cache_read_input_tokens']) ?? 0
  const writtenTokens = toCount(usage['cache_creation_input_tokens']) ?? 0
  const models = toObject(native['model_usage_since_last_result'] ?? native['modelUsage'])
  const names = Object.keys(models)
  return {
    // `input_tokens` does not count tokens written to the cache or read from it.
    inputTokens: (toCount(usage['input_tokens']) ?? 0) + writtenTokens + cachedTokens,
    cachedTokens,
    outputTokens: toCount(usage['output_tokens']) ?? 0,
    reasoningTokens: toCount(toObject(usage['output_tokens_details'])['thinking_tokens']),
    cost: costOf(native['model_usage_since_last_result']),
    totalCost: toAmount(native['total_cost_usd']),
    model: names.length === 1 ? toName(names[0]) : undefined,
  }
}

function costOf(models: JsonValue | undefined): number | undefined {
  const costs = Object.values(toObject(models)).map((model) => toAmount(toObject(model)['costUSD']) ?? 0)
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0)
}
