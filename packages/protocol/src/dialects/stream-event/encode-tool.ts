import type { ToolCall, ToolResult } from '../../events.ts'
import { maxFrameDepth } from '../../intake.ts'
import { isDeeperThan, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { findEndedCall } from '../../open-calls.ts'
import { standIn } from './decode-tool.ts'
import { type Kept, sluiceOf } from './kept.ts'
import type { Surroundings } from './surroundings.ts'

export function encodeToolCall({ isOwn, kept }: Surroundings, event: ToolCall): JsonObject {
  const isRepeated = isOwn && event.meta?.implied !== true
  const { call, tool, args: payload, argsSummary, risk, irreversible } = event
  const known = sluiceOf(kept.rest)['call']
  const isNamed = isRepeated && (known === undefined || known === call)
  const more = isNamed ? {} : { sluice: omitUndefined({ call, argsSummary, risk, irreversible }) }
  return toFrame(kept, { type: 'tool_call', tool, usual: 'tool_args', payload, more })
}

export function encodeToolResult(around: Surroundings, event: ToolResult): JsonObject {
  const { call, tool, status, result: payload, message, exitCode, durationMs } = event
  const frame = { type: 'tool_result', tool, usual: 'result', payload } as const
  if (around.isOwn && isNamed(around, event)) return toFrame(around.kept, { ...frame, more: {} })
  const isFailed = status !== 'success'
  // A failed tool without a message has a sentence of ours as its error.
  const carriedAbsence = message === undefined ? null : undefined
  const sluice = {
    call,
    ...(status === 'timeout' ? { status } : {}),
    ...omitUndefined({ message: isFailed ? carriedAbsence : message, exitCode, durationMs }),
  }
  const error = message ?? standIn[status === 'timeout' ? status : 'error']
  const more = isFailed ? { error, sluice } : { sluice }
  const hasResult = !isFailed || payload !== undefined
  return toFrame(hasResult ? {} : { payload: '' }, { ...frame, more })
}

/** Whether the frame, as it came in, still names this call of the session. */
function isNamed({ calls, kept }: Surroundings, { call, tool }: ToolResult): boolean {
  const id = sluiceOf(kept.rest)['call']
  return findEndedCall(calls, { tool, ...(typeof id === 'string' ? { id } : {}) })?.call === call
}

interface ToolFrame {
  readonly type: 'tool_call' | 'tool_result'
  readonly tool: string
  /** The documented field of the payload. */
  readonly usual: string
  readonly payload: JsonValue | undefined
  /** The other members of `data`. */
  readonly more: JsonObject
}

function toFrame(kept: Kept, { type, tool, usual, payload, more }: ToolFrame): JsonObject {
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
