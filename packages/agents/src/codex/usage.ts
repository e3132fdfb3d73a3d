import type { JsonObject, JsonValue, Usage } from '@sluice/protocol'

/**
 * The tokens that codex reports at the end of a turn; input tokens include cached ones. The counts cover the
 * whole thread: those of a resumed run include earlier runs, whose share is unknown.
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
