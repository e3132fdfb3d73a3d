import { omitUndefined, type SluiceEvent, type Usage } from '@sluice/protocol'
import type { Mapped, Verdict } from '../cli/cli-agent.ts'
import { contentFiltered, contextExceeded, permissionRefused, runFailure } from './failure.ts'
import type { NativeUsage } from './native.ts'
import type { OpencodeState, Outlook } from './state.ts'

/** Ends a step: adds up what it used. Its reason decides whether it may be the last. */
export function mapFinish(state: OpencodeState, reason: string, usage: NativeUsage): Mapped<OpencodeState> {
  const outlook = toOutlook(state, reason)
  return {
    state: { ...state, outlook, usage: addUsage(state.usage, usage) },
    events: reason === 'length' ? [toWarning('output limit reached')] : [],
  }
}

/**
 * After tools there is another step, unless one of them was refused. After anything else there may be one,
 * for example when the context was summarised.
 */
function toOutlook({ hasRefused }: OpencodeState, reason: string): Outlook | undefined {
  if (reason === 'tool-calls') return hasRefused ? { ok: false, message: permissionRefused } : undefined
  if (reason === 'error') return { ok: false, message: runFailure }
  return reason === 'content-filter' ? { ok: false, message: contentFiltered } : { ok: true }
}

/**
 * An error ends the run. The exception is a full context, which OpenCode summarises unless that is disabled.
 */
export function mapError(state: OpencodeState, message: string): Mapped<OpencodeState> {
  const outlook: Outlook = { ok: false, message }
  const next = { ...state, outlook }
  if (message === contextExceeded)
    return {
      state: { ...next, hasOverflown: true, isOverflowing: true },
      events: [toWarning('context limit reached')],
    }
  return { state: next, events: [], verdict: outlook }
}

/** OpenCode reports that it is done, which only later versions do. */
export function mapDone(
  state: OpencodeState,
  { hasRefused }: { readonly hasRefused: boolean },
): Mapped<OpencodeState> {
  const next = { ...state, outlook: state.outlook ?? ({ ok: true } as const) }
  const verdict = toVerdict(next)
  return omitUndefined({
    state: next,
    events: hasRefused ? [toWarning('permission refused', 'permission_denied')] : [],
    verdict,
  })
}

/** The verdict if nothing else follows. */
export function toVerdict({ outlook, answer, hasOverflown }: OpencodeState): Verdict | undefined {
  if (outlook?.ok !== true) return outlook
  return {
    ok: true,
    ...(answer === '' ? {} : { finalText: answer }),
    ...(hasOverflown ? { exitCode: 1 } : {}),
  }
}

export function toUsage({ input, output, reasoning, cacheRead, cacheWrite, cost }: NativeUsage): Usage {
  return {
    kind: 'usage',
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output + reasoning,
    cachedTokens: cacheRead,
    reasoningTokens: reasoning,
    cost: { amount: cost, currency: 'USD' },
  }
}

function addUsage(sum: NativeUsage | undefined, step: NativeUsage): NativeUsage {
  if (sum === undefined) return step
  return {
    input: sum.input + step.input,
    output: sum.output + step.output,
    reasoning: sum.reasoning + step.reasoning,
    cacheRead: sum.cacheRead + step.cacheRead,
    cacheWrite: sum.cacheWrite + step.cacheWrite,
    cost: sum.cost + step.cost,
  }
}

function toWarning(text: string, code = 'agent_warning'): SluiceEvent {
  return { kind: 'notice', level: 'warning', code, text, meta: { channel: 'warning' } }
}
