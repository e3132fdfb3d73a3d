import type { StopReason } from '@agentclientprotocol/sdk'
import {
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type SluiceEvent,
  type Usage,
} from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { readStopReason, toCount, toObject } from './native.ts'
import type { AcpState } from './state.ts'

/** Handles the agent's response to the prompt, which ends the turn. */
export function endTurn(state: AcpState, result: JsonValue): Mapped<AcpState> {
  const { label } = state.names
  const reason = readStopReason(result)
  const { answer } = state.text
  return {
    state: { ...state, asked: undefined },
    events: toUsage(state, toObject(result)),
    verdict:
      reason === 'end_turn'
        ? { ok: true, ...(answer === '' ? {} : { finalText: answer }) }
        : { ok: false, message: `${label} failed: ${reason === undefined ? 'unknown' : failures[reason]}` },
  }
}

const failures: Record<Exclude<StopReason, 'end_turn'>, string> = {
  max_tokens: 'max tokens',
  max_turn_requests: 'max turns',
  refusal: 'refused',
  cancelled: 'cancelled',
}

/** Neither field is in the stable protocol: `usage` is in its draft, `_meta.quota` is Gemini CLI's. */
function toUsage({ model, cost, request }: AcpState, { usage, _meta }: JsonObject): readonly SluiceEvent[] {
  const quota = toObject(toObject(toObject(_meta)['quota'])['token_count'])
  const counts = {
    inputTokens: toCount(quota['input_tokens']),
    outputTokens: toCount(quota['output_tokens']),
    ...readDraft(toObject(usage)),
    // The agent reports the cost of the session, which after a resume is more than that of this turn.
    cost: request.resume === undefined ? cost : undefined,
  }
  const known = Object.entries(counts).filter(([, value]) => value !== undefined)
  if (known.length === 0) return []
  return [{ kind: 'usage', ...Object.fromEntries(known), ...omitUndefined({ model }) }]
}

/** Some agents count cached and thought tokens separately, as the draft requires; others include them. */
function readDraft(usage: JsonObject): Partial<Usage> {
  const input = toCount(usage['inputTokens'])
  const output = toCount(usage['outputTokens'])
  if (input === undefined || output === undefined) return {}
  const read = toCount(usage['cachedReadTokens'])
  const written = toCount(usage['cachedWriteTokens']) ?? 0
  const thought = toCount(usage['thoughtTokens'])
  const isApart = usage['totalTokens'] !== input + output
  return omitUndefined({
    inputTokens: isApart ? input + (read ?? 0) + written : input,
    outputTokens: isApart ? output + (thought ?? 0) : output,
    cachedTokens: read,
    reasoningTokens: thought,
  })
}
