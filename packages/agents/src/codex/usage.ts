import type { JsonObject, JsonValue, Usage } from '@sluice/protocol'

/**
 * The tokens that codex tells at the end of a turn; those from a cache are among those that were read. They are of the
 * whole thread: where a run takes one up, of the runs before it too, and what those took is not told.
 */
export function toUsage(usage: JsonObject): Usage {
  return {
    kind: 'usage',
    ...count('inputTokens', usage['input_tokens']),
    ...count('cachedTokens', usage['cached_input_tokens']),
    ...count('outputTokens', usage['output_tokens']),
    ...count('reasoningTokens', usage['reasoning_output_tokens']),
  }
}

function count(name: string, value: JsonValue | undefined): Readonly<Record<string, number>> {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? { [name]: value } : {}
}
