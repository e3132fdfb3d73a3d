import type { ToolCall, ToolResult } from '../../events.ts'
import { maxFrameDepth } from '../../intake.ts'
import { isDeeperThan, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { findEndedCall, type OpenCall } from '../../open-calls.ts'
import { standIn } from './decode-tool.ts'
import { type Kept, keptOf, sluiceOf } from './kept.ts'

export function encodeToolCall(event: ToolCall, isOwn: boolean): JsonObject {
  const kept: Kept = isOwn ? keptOf(event) : {}
  const isRepeated = isOwn && event.meta?.implied !== true
  const { call, argsSummary, risk, irreversible } = event
  const known = sluiceOf(kept.rest)['call']
  const sluice = omitUndefined({
    call,
    argsSummary,
    risk,
    irreversible,
  })
  const isNamed = isRepeated && (known === undefined || known === call)
  return toFrame('tool_call', kept, event.tool, 'tool_args', event.args, isNamed ? {} : { sluice })
}

export function encodeToolResult(calls: readonly OpenCall[], event: ToolResult, isOwn: boolean): JsonObject {
  const kept: Kept = isOwn ? keptOf(event) : {}
  if (isOwn && isNamed(calls, event, kept)) {
    return toFrame('tool_result', kept, event.tool, 'result', event.result, {})
  }
  const { call, status, message, exitCode, durationMs } = event
  const isFailed = status !== 'success'
  // A failed tool without a message has a sentence of ours as its error.
  const carriedAbsence = message === undefined ? null : undefined
  const sluice = {
    call,
    ...(status === 'timeout' ? { status } : {}),
    ...omitUndefined({ message: isFailed ? carriedAbsence : message, exitCode, durationMs }),
  }
  const error = message ?? standIn[status === 'timeout' ? status : 'error']
  const outcome = isFailed ? { error, sluice } : { sluice }
  const hasResult = !isFailed || event.result !== undefined
  return toFrame('tool_result', hasResult ? {} : { payload: '' }, event.tool, 'result', event.result, outcome)
}

/** Whether the frame, as it came in, still names this call of the session. */
function isNamed(calls: readonly OpenCall[], event: ToolResult, kept: Kept): boolean {
  const id = sluiceOf(kept.rest)['call']
  const { call, tool } = event
  return findEndedCall(calls, { tool, ...(typeof id === 'string' ? { id } : {}) })?.call === call
}

function toFrame(
  type: string,
  kept: Kept,
  tool: string,
  usual: string,
  payload: JsonValue | undefined,
  more: JsonObject,
): JsonObject {
  const field = kept.payload ?? usual
  // The payload is two levels below the frame.
  const fits = !isDeeperThan(payload, maxFrameDepth - 2)
  const data = {
    [kept.tool ?? 'tool_name']: tool,
    ...(field === '' ? {} : { [field]: fits ? (payload ?? null) : null }),
    ...kept.rest,
    ...more,
  }
  return { type, data, ...kept.fields }
}
