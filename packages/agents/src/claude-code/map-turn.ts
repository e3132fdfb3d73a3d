import { omitUndefined, type SluiceEvent, type Usage } from '@sluice/protocol'
import type { Mapped, Verdict } from '../cli/cli-agent.ts'
import { toFailure } from './failure.ts'
import { addWhole, lastAnswer } from './map-text.ts'
import type { NativeResult, NativeUsage } from './native-result.ts'
import type { ClaudeState } from './state.ts'

type Step = Mapped<ClaudeState>

/** Ends a turn. The run ends with it unless another turn follows. */
export function endTurn(state: ClaudeState, result: NativeResult): Step {
  if (state.isOver) return { state, events: [] }
  const isFailure = result.isError || state.error !== undefined
  const told = isFailure || state.hasSpoken ? { texts: state.texts, events: [] } : tellResult(state, result)
  const usage = toUsage(state, result.usage)
  const finalText = lastAnswer(told.texts)
  const held: Verdict = isFailure
    ? { ok: false, message: toFailure(result, state.error, state.request) }
    : omitUndefined({ ok: true, finalText })
  const ended: ClaudeState = {
    ...state,
    texts: told.texts,
    held,
    error: undefined,
    hasSpoken: false,
    totalCost: result.usage.totalCost ?? state.totalCost,
  }
  const events = [...told.events, ...(usage === undefined ? [] : [usage])]
  return ended.tellsState || ended.unread.length > 0
    ? { state: ended, events }
    : { state: { ...ended, isOver: true }, events, verdict: held }
}

/** Claude Code is idle: the run ends as its last turn did, unless a message of ours is still unread. */
export function endRun(state: ClaudeState): Step {
  const { held, isOver, unread } = state
  if (held === undefined || isOver || unread.length > 0) return { state, events: [] }
  return { state: { ...state, isOver: true }, events: [], verdict: held }
}

/** Claude Code answers some of its own commands only in the result. */
function tellResult({ texts }: ClaudeState, { text }: NativeResult): ReturnType<typeof addWhole> {
  return addWhole(texts, undefined, { id: undefined, channel: 'answer', text })
}

/** Undefined if no tokens were used. */
function toUsage(state: ClaudeState, usage: NativeUsage): SluiceEvent | undefined {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  if (inputTokens === 0 && outputTokens === 0) return undefined
  const cost = costOf(state, usage)
  const model = usage.model ?? state.model
  const event: Usage = omitUndefined({
    kind: 'usage',
    inputTokens,
    cachedTokens,
    outputTokens,
    reasoningTokens,
    cost: cost === undefined ? undefined : { amount: cost, currency: 'USD' },
    model,
  })
  return event
}

/**
 * Versions that do not report the cost of the turn report that of the session. How much of it earlier runs
 * caused is not known.
 */
function costOf({ request, totalCost }: ClaudeState, usage: NativeUsage): number | undefined {
  if (usage.cost !== undefined || usage.totalCost === undefined) return usage.cost
  if (totalCost !== undefined) return Math.max(0, usage.totalCost - totalCost)
  return request.resume === undefined && request.fork === undefined ? usage.totalCost : undefined
}
