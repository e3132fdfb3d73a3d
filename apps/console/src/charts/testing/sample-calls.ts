import type { CallSpan } from '../../outline/outline-columns.ts'

/** A call that starts at `at` and takes `durationMs`; without that it still runs. */
export function sampleCall(
  {
    seq,
    at,
    durationMs,
  }: { readonly seq: number; readonly at: number; readonly durationMs?: number | undefined },
  given: Partial<CallSpan> = {},
): CallSpan {
  const call = { call: `call-${seq}`, tool: `tool_${seq}`, seq, at }
  if (durationMs === undefined) return { ...call, ...given }
  return { ...call, endSeq: seq + 1, endAt: at + durationMs, status: 'success', ...given }
}
