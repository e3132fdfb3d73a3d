import type { SluiceEvent, Usage } from '@sluice/protocol'
import type { Mapped, Verdict } from '../cli/cli-agent.ts'
import { toFailure } from './failure.ts'
import { addWhole, lastAnswer } from './map-text.ts'
import type { NativeResult, NativeUsage } from './native-result.ts'
import type { ClaudeState } from './state.ts'

type Step = Mapped<ClaudeState>

/** A turn ended. It is the end of the run unless another turn follows. */
export function endTurn(state: ClaudeState, result: NativeResult): Step {
  if (state.isOver) return { state, events: [] }
  const isFailure = result.isError || state.error !== undefined
  const told = isFailure || state.hasSpoken ? { texts: state.texts, events: [] } : tellResult(state, result)
  const usage = toUsage(state, result.usage)
  const finalText = lastAnswer(told.texts)
  const held: Verdict = isFailure
    ? { ok: false, message: toFailure(result, state.error, state.request) }
    : { ok: true, ...(finalText === undefined ? {} : { finalText }) }
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

/** Nothing more will be done: how the last turn ended is how the run did. */
export function endRun(state: ClaudeState): Step {
  const { held, isOver, unread } = state
  if (held === undefined || isOver || unread.length > 0) return { state, events: [] }
  return { state: { ...state, isOver: true }, events: [], verdict: held }
}

/** Some commands of Claude Code itself are answered in the result alone. */
function tellResult({ texts }: ClaudeState, { text }: NativeResult): ReturnType<typeof addWhole> {
  return addWhole(texts, undefined, { id: undefined, channel: 'answer', text })
}

/** Undefined where nothing was used. */
function toUsage(state: ClaudeState, usage: NativeUsage): SluiceEvent | undefined {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  if (inputTokens === 0 && outputTokens === 0) return undefined
  const cost = costOf(state, usage)
  const model = usage.model ?? state.model
  const event: Usage = {
    kind: 'usage',
    inputTokens,
    cachedTokens,
    outputTokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cost === undefined ? {} : { cost: { amount: cost, currency: 'USD' } }),
    ...(model === undefined ? {} : { model }),
  }
  return event
}

/** Versions that tell no cost of the turn tell that of the session: what it was before this run is not known. */
function costOf({ request, totalCost }: ClaudeState, usage: NativeUsage): number | undefined {
  if (usage.cost !== undefined || usage.totalCost === undefined) return usage.cost
  if (totalCost !== undefined) return Math.max(0, usage.totalCost - totalCost)
  return request.resume === undefined && request.fork === undefined ? usage.totalCost : undefined
}
