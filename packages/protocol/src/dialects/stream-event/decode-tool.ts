import type { ToolCall, ToolResult } from '../../events.ts'
import { breach } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { findEndedCall, freshCall, withoutCall } from '../../open-calls.ts'
import { type Kept, metaOf, restOf, sluiceOf } from './kept.ts'
import { streamEventRules } from './sequence.ts'
import type { Reading, Understood } from './stream.ts'

/** The error of a failed tool if nobody has given one. */
export const standIn = { error: 'The tool failed.', timeout: 'The tool did not answer in time.' } as const
const standIns: ReadonlySet<string | undefined> = new Set(Object.values(standIn))

export function decodeToolCall({ state, session, data, kept }: Reading): Understood | undefined {
  const names = readNames(data, ['tool_args', 'args'])
  if (names === undefined) return undefined
  const sluice = sluiceOf(data)
  const id = typeof sluice['call'] === 'string' ? sluice['call'] : undefined
  const call = freshCall(session, id)
  const { tool, payload } = names
  const { argsSummary, risk, irreversible } = sluice
  const event: ToolCall = {
    kind: 'tool-call',
    call,
    tool,
    ...omitUndefined({ args: payload ?? undefined }),
    ...(typeof argsSummary === 'string' ? { argsSummary } : {}),
    ...(risk === 'low' || risk === 'medium' || risk === 'high' ? { risk } : {}),
    ...(typeof irreversible === 'boolean' ? { irreversible } : {}),
    ...metaOf({ ...kept, ...names.kept }),
  }
  const calls = [...state.calls, omitUndefined({ call, tool, id })]
  // A name that was taken becomes another one from here on: a reader of the unchanged frame would not
  // recognize the result.
  const isRenamed = id !== undefined && id !== call
  return { state: { calls }, events: [event], ...(isRenamed ? { exact: false } : {}) }
}

export function decodeToolResult(reading: Reading): Understood | undefined {
  const { state, session, data, kept } = reading
  const names = readNames(data, ['result', 'output'])
  if (names === undefined || !isJsonObject(data)) return undefined
  const { tool, payload } = names
  const failure = failureOf(data, payload)
  const sluice = sluiceOf(data)
  if (contradicts(sluice, failure)) {
    const { status: _status, message: _message, ...believed } = sluice
    const read = decodeToolResult({ ...reading, data: { ...data, sluice: believed } })
    const finding = breach(streamEventRules.carriedContradicts, '/data/sluice')
    return read === undefined ? undefined : { ...read, findings: [finding, ...(read.findings ?? [])] }
  }
  const id = typeof sluice['call'] === 'string' ? sluice['call'] : undefined
  const open = findEndedCall(state.calls, omitUndefined({ tool, id }))
  const { status, message, exitCode, durationMs } = sluice
  const told = typeof message === 'string' ? message : message === null ? undefined : failure?.message
  const event: ToolResult = {
    kind: 'tool-result',
    call: open?.call ?? freshCall(session, id),
    tool,
    status: status === 'timeout' ? 'timeout' : failure === undefined ? 'success' : 'error',
    ...omitUndefined({ result: payload ?? undefined, message: told }),
    ...(Number.isSafeInteger(exitCode) ? { exitCode: exitCode as number } : {}), // just checked
    ...(typeof durationMs === 'number' && durationMs >= 0 ? { durationMs } : {}),
    ...metaOf({ ...kept, ...names.kept }),
  }
  if (open !== undefined) return { state: { calls: withoutCall(state.calls, open.call) }, events: [event] }
  return { state, events: [event], findings: [breach(streamEventRules.resultWithoutCall, '/data')] }
}

/**
 * Whether the carried data states another outcome than the frame: a timeout of a tool that succeeded, or a
 * message other than the error. If the error is a sentence of ours, no message is carried.
 */
function contradicts({ status, message }: JsonObject, failure: Failure | undefined): boolean {
  if (failure === undefined) return status === 'timeout' || message === null
  if (message === null) return !standIns.has(failure.message)
  return typeof message === 'string' && failure.message !== undefined && message !== failure.message
}

interface Names {
  readonly tool: string
  readonly payload: JsonValue | undefined
  readonly kept: Kept
}

/** The tool and its arguments or result, in either spelling; the first name is the documented one. */
function readNames(data: JsonValue, payloads: readonly [string, string]): Names | undefined {
  if (!isJsonObject(data)) return undefined
  const toolField = typeof data['tool_name'] === 'string' ? 'tool_name' : 'tool'
  const tool = data[toolField]
  if (typeof tool !== 'string') return undefined
  const [usual, other] = payloads
  const field = usual in data ? usual : other in data ? other : ''
  const { rest } = restOf(data, [toolField, field])
  return {
    tool,
    payload: field === '' ? undefined : data[field],
    kept: {
      ...(toolField === 'tool_name' ? {} : { tool: toolField }),
      ...(field === usual ? {} : { payload: field }),
      ...omitUndefined({ rest }),
    },
  }
}

interface Failure {
  readonly message?: string
}

/** A failure is an `error`, or a result that reports its own failure (ToolResult.v1). */
function failureOf(data: JsonObject, payload: JsonValue | undefined): Failure | undefined {
  const { error } = data
  if (error !== undefined && error !== null) return typeof error === 'string' ? { message: error } : {}
  if (!isJsonObject(payload) || payload['success'] !== false) return undefined
  return typeof payload['error'] === 'string' ? { message: payload['error'] } : {}
}
