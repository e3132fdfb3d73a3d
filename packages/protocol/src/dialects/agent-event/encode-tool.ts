import type { ToolCall, ToolResult } from '../../events.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { findCall } from '../../open-calls.ts'
import { boundData, maxMessageBytes, serializedJsonBytes, truncateUtf8, utf8Length } from './bounds.ts'
import { nameOf, statusOf, toolOf } from './decode-tool.ts'
import { readTool } from './facets.ts'
import { channelOf, type OutValue, repeat, type Surroundings } from './out-value.ts'
import type { ToolsFacet } from './wire.ts'
import { isShortName, toCallId } from './wire-names.ts'

/**
 * A ToolCall or ToolResult: metadata without arguments and results, in the tools facet unless the original
 * frame had none.
 */
export function encodeTool(around: Surroundings, event: ToolCall | ToolResult): OutValue {
  const { agentKind } = around.view
  const kind = event.kind === 'tool-call' ? 'ToolCall' : 'ToolResult'
  if (around.isOwn && event.meta?.implied !== true && isNamed(around, event)) {
    const message = event.kind === 'tool-result' ? event.message : undefined
    return repeat(agentKind, event.meta, { ...around.kept, kind, ...omitUndefined({ message }) })
  }
  const sluice = event.kind === 'tool-call' ? carryCall(event) : carryResult(event)
  const data = { ...toFacet(event), ...(Object.keys(sluice).length === 0 ? {} : { sluice }) }
  return {
    agent_kind: agentKind,
    kind,
    ...channelOf(event.meta?.channel, 'tool'),
    data: boundData(data),
  }
}

/** Whether the frame, as it came in, still says this about this call of the session. */
function isNamed({ view, kept }: Surroundings, event: ToolCall | ToolResult): boolean {
  const { data, bare } = kept
  if ((data === undefined && bare !== true) || !isShortName(event.tool)) return false
  const tool = readTool(data)
  if (event.kind === 'tool-call')
    return (tool.id === undefined || tool.id === toCallId(event.call)) && toolOf(tool) === event.tool
  const isSame = statusOf(data, tool) === event.status
  return isSame && findCall(view.calls, nameOf({ kind: 'ToolResult' }, tool))?.call === event.call
}

function toFacet(event: ToolCall | ToolResult): ToolsFacet {
  const isResult = event.kind === 'tool-result'
  const isFailed = isResult && event.status !== 'success'
  return {
    schema: 'agent_api.tools.structured.v1',
    tool: {
      backend_item_id: null,
      thread_id: null,
      turn_id: null,
      kind: isResult ? 'tool_result' : 'tool_use',
      phase: isResult ? (isFailed ? 'fail' : 'complete') : 'start',
      status: isResult ? (isFailed ? 'failed' : 'completed') : 'running',
      exit_code: isResult && Number.isSafeInteger(event.exitCode) ? (event.exitCode ?? null) : null,
      bytes: { stdout: 0, stderr: 0, diff: 0, result: isResult ? resultBytes(event.result) : 0 },
      tool_name: truncateUtf8(event.tool, maxMessageBytes),
      tool_use_id: toCallId(event.call),
    },
  }
}

function resultBytes(result: JsonValue | undefined): number {
  if (result === undefined) return 0
  return typeof result === 'string' ? utf8Length(result) : serializedJsonBytes(result)
}

function carryCall({ risk, irreversible }: ToolCall): JsonObject {
  return omitUndefined({ risk, irreversible })
}

function carryResult({ status, durationMs }: ToolResult): JsonObject {
  return omitUndefined({ status: status === 'timeout' ? status : undefined, durationMs })
}
