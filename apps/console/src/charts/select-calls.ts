import type { CallSpan } from '../outline/outline-columns.ts'
import { selectRank } from './select-rank.ts'

/** The `limit` longest calls in order of their start; a call without an end lasts until `endAt`. */
export function selectCalls(calls: readonly CallSpan[], endAt: number, limit: number): readonly CallSpan[] {
  const selected = calls.length > limit ? longestCalls(calls, endAt, limit) : [...calls]
  return selected.sort((a, b) => a.at - b.at || a.seq - b.seq)
}

/** How long a call took, or has taken so far; never below zero. */
export function callDuration({ at, endAt }: CallSpan, untilAt: number): number {
  return Math.max(0, (endAt ?? untilAt) - at) || 0
}

function longestCalls(calls: readonly CallSpan[], endAt: number, limit: number): CallSpan[] {
  const durations = new Float64Array(calls.length)
  let index = 0
  for (const call of calls) durations[index++] = callDuration(call, endAt)
  const shortest = selectRank(durations.slice(), durations.length - limit)
  const longer = calls.filter((_, place) => (durations[place] ?? 0) > shortest)
  const equal = calls.filter((_, place) => durations[place] === shortest)
  return [...longer, ...equal.slice(0, limit - longer.length)]
}
