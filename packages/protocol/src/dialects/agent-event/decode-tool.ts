import type { Meta, ToolCall, ToolResult } from '../../events.ts'
import { breach } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { type CallName, findCall, findEndedCall, freshCall, withoutCall } from '../../open-calls.ts'
import { bareTool, type ToolReading } from './facets.ts'
import { extOf, withoutSluice } from './kept.ts'
import type { WireEvent } from './read-frame.ts'
import { agentEventRules } from './sequence.ts'
import { type EventReading, metaOf, sluiceOf, type Understood, understood } from './stream.ts'
import { isShortName } from './wire-names.ts'

/**
 * Decodes the frame of a tool. `tool` is what the frame says about it, even in a facet that is too broken to
 * keep.
 */
export function decodeTool(reading: EventReading, tool: ToolReading): Understood {
  const { state, session, event } = reading
  if (tool !== bareTool && isFalseTimeout(event, tool)) {
    const decoded = decodeTool({ ...reading, event: withoutSluice(event) }, tool)
    const finding = breach(agentEventRules.carriedContradicts, '/data/sluice/status')
    return { ...decoded, findings: [finding, ...decoded.findings] }
  }
  const ext = tool === bareTool ? { ...extOf(event), bare: true as const } : extOf(event)
  const meta = metaOf(state, ext)
  const open = findCall(state.calls, nameOf(event, tool))
  if (event.kind === 'ToolResult' && tool.phase !== 'delta' && tool.phase !== 'start') {
    return decodeResult(reading, tool, meta)
  }
  // Every further frame of a running call only says that the call goes on: this dialect has no arguments.
  const isSame = open !== undefined && (tool.id !== undefined || tool.phase === 'delta')
  if (isSame) {
    const kept = metaOf(state, { ...ext, kind: event.kind })
    return understood(state, { kind: 'tool-call-delta', call: open.call, argsText: '', meta: kept })
  }
  const call = freshCall(session, tool.id)
  const name = toolOf(tool)
  const { id } = tool
  const calls = [...state.calls, omitUndefined({ call, tool: name, id })]
  const started: ToolCall = { kind: 'tool-call', call, tool: name, ...riskOf(event), meta }
  return {
    ...understood({ ...state, calls }, started),
    exact: isPlain(tool) && (id === undefined || id === call),
  }
}

function decodeResult({ state, session, event }: EventReading, tool: ToolReading, meta: Meta): Understood {
  const open = findEndedCall(state.calls, nameOf(event, tool))
  const { message, text } = event
  const { exitCode } = tool
  const ended: ToolResult = {
    kind: 'tool-result',
    call: open?.call ?? freshCall(session, tool.id),
    tool: open?.tool ?? toolOf(tool),
    status: statusOf(event.data, tool),
    ...omitUndefined({ result: text, message, exitCode }),
    ...durationOf(event),
    meta,
  }
  if (open !== undefined) {
    const calls = withoutCall(state.calls, open.call)
    return { ...understood({ ...state, calls }, ended), exact: isPlain(tool) }
  }
  return { ...understood(state, ended), findings: [breach(agentEventRules.resultWithoutCall, '')] }
}

/** Long names are shortened when written, so such a frame cannot go out unchanged. */
function isPlain(tool: ToolReading): boolean {
  return isShortName(tool.id ?? '') && isShortName(toolOf(tool))
}

/** The id and the name of the tool, or the facet's kind if that says more than "a tool". */
export function nameOf(event: Pick<WireEvent, 'kind'>, { id, name, kind }: ToolReading): CallName {
  const tool = name ?? (event.kind === 'ToolResult' && kind === 'tool_result' ? undefined : kind)
  return { id, tool }
}

export function toolOf({ name, kind }: ToolReading): string {
  return name ?? kind ?? 'unknown'
}

export function statusOf(data: JsonValue | undefined, tool: ToolReading): ToolResult['status'] {
  if (tool.phase !== 'fail' && tool.status !== 'failed') return 'success'
  return carriedOf(data)['status'] === 'timeout' ? 'timeout' : 'error'
}

/** A carried timeout is true only next to a facet that says that the tool failed. */
function isFalseTimeout({ data }: WireEvent, tool: ToolReading): boolean {
  return carriedOf(data)['status'] === 'timeout' && statusOf(data, tool) !== 'timeout'
}

function riskOf(event: WireEvent): Partial<Pick<ToolCall, 'risk' | 'irreversible'>> {
  const { risk, irreversible } = carriedOf(event.data)
  return {
    ...(risk === 'low' || risk === 'medium' || risk === 'high' ? { risk } : {}),
    ...(typeof irreversible === 'boolean' ? { irreversible } : {}),
  }
}

function durationOf(event: WireEvent): Partial<Pick<ToolResult, 'durationMs'>> {
  const { durationMs } = carriedOf(event.data)
  return typeof durationMs === 'number' && durationMs >= 0 ? { durationMs } : {}
}

function carriedOf(data: JsonValue | undefined): JsonObject {
  const sluice = sluiceOf(data)
  return isJsonObject(sluice) ? sluice : {}
}
