import type { StopReason } from '@agentclientprotocol/sdk'
import type { JsonObject, JsonValue, SluiceEvent, Usage } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { readStopReason, toCount, toObject } from './native.ts'
import type { AcpState } from './state.ts'

/** The agent's answer to the prompt: the turn is over. */
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

/** Neither place is in the protocol's stable part: `usage` is its draft, `_meta.quota` is Gemini CLI's. */
function toUsage({ model, cost, request }: AcpState, { usage, _meta }: JsonObject): readonly SluiceEvent[] {
  const quota = toObject(toObject(toObject(_meta)['quota'])['token_count'])
  const counts = {
    inputTokens: toCount(quota['input_tokens']),
    outputTokens: toCount(quota['output_tokens']),
    ...readDraft(toObject(usage)),
    // The agent tells what the session cost; of one that was taken up, that is more than this turn.
    cost: request.resume === undefined ? cost : undefined,
  }
  const known = Object.entries(counts).filter(([, value]) => value !== undefined)
  if (known.length === 0) return []
  return [{ kind: 'usage', ...Object.fromEntries(known), ...(model === undefined ? {} : { model }) }]
}

/** Some agents count what was cached and thought besides, as the draft wants it, and some with the rest. */
function readDraft(usage: JsonObject): Partial<Usage> {
  const input = toCount(usage['inputTokens'])
  const output = toCount(usage['outputTokens'])
  if (input === undefined || output === undefined) return {}
  const read = toCount(usage['cachedReadTokens'])
  const written = toCount(usage['cachedWriteTokens']) ?? 0
  const thought = toCount(usage['thoughtTokens'])
  const isApart = usage['totalTokens'] !== input + output
  return {
    inputTokens: isApart ? input + (read ?? 0) + written : input,
    outputTokens: isApart ? output + (thought ?? 0) : output,
    ...(read === undefined ? {} : { cachedTokens: read }),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  }
}
