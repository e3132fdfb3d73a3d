import { formatDuration } from '../format/format-duration.ts'
import { formatCount, formatNumber } from '../format/format-number.ts'
import type { CallSpan } from '../outline/outline-columns.ts'
import { callDuration } from './select-calls.ts'

/** The outcome of a call; `ended` if its result has no status. */
export type CallState = 'success' | 'error' | 'timeout' | 'ended' | 'running'

const stateWords: Readonly<Record<CallState, string>> = {
  success: 'succeeded',
  error: 'failed',
  timeout: 'timed out',
  ended: 'ended',
  running: 'running',
}
const maxToolLength = 80

export function callState({ status, endAt }: CallSpan): CallState {
  return status ?? (endAt === undefined ? 'running' : 'ended')
}

/** One call, such as `4.2 s, failed` or `running, 12 s so far`. */
export function describeCall(call: CallSpan, endAt: number): string {
  const state = callState(call)
  const duration = formatDuration(callDuration(call, endAt))
  return state === 'running' ? `running, ${duration} so far` : `${duration}, ${stateWords[state]}`
}

/** The name of a tool, cut to 80 characters. */
export function formatTool({ tool }: CallSpan): string {
  if (tool.trim() === '') return 'unnamed tool'
  // A long name may be very long, so only its start is split.
  const points = Array.from(tool.slice(0, 2 * maxToolLength + 2))
  return points.length > maxToolLength ? `${points.slice(0, maxToolLength - 1).join('')}…` : tool
}

/** What the chart shows, in words; `shownCount` is the number of calls that it draws. */
export function describeCalls(calls: readonly CallSpan[], endAt: number, shownCount: number): string {
  const [first] = calls
  if (first === undefined) return 'No tool calls yet.'
  if (calls.length === 1) return `1 tool call: ${formatTool(first)}, ${describeCall(first, endAt)}.`
  const counts = new Map<CallState, number>()
  let longest = first
  for (const call of calls) {
    counts.set(callState(call), (counts.get(callState(call)) ?? 0) + 1)
    if (callDuration(call, endAt) > callDuration(longest, endAt)) longest = call
  }
  const outcomes = (Object.keys(stateWords) as CallState[]) // the keys of that record
    .filter((state) => counts.has(state))
    .map((state) => `${formatNumber(counts.get(state) ?? 0)} ${stateWords[state]}`)
  const shown = shownCount < calls.length ? ` Shown are the ${formatNumber(shownCount)} longest.` : ''
  return `${formatCount(calls.length, 'tool call')}: ${outcomes.join(', ')}. The longest: ${formatTool(longest)}, ${describeCall(longest, endAt)}.${shown}`
}
