import type { Risk, SluiceEvent, ToolResult } from '../../events.ts'
import { breach } from '../../finding.ts'
import { joinFields } from '../../join-fields.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { tableGet } from '../../table.ts'
import { readAgreedEvent } from './carried-event.ts'
import { toCallId, toToolName, toUnnamedCall } from './names.ts'
import { isText, keepField, type Reading, takeCarried } from './reading.ts'
import { aaepRules } from './rules.ts'
import {
  type AaepSequence,
  evidenceOf,
  isInChain,
  mayAct,
  permissionOf,
  type UnnamedCall,
} from './sequence.ts'
import type { WireEvent } from './wire/events.ts'

export function readState(
  reading: Reading,
  wire: WireEvent<'agent.state.changed'>,
  state: AaepSequence,
): readonly SluiceEvent[] {
  const { from_state: from, to_state: to } = wire
  const isImplied = state.handsOff === true && from === 'handing_off'
  if (!isImplied && !isInChain(from, evidenceOf(reading.session)))
    reading.findings.push(breach(aaepRules.stateChain, '/from_state'))
  const carried = readAgreedEvent(reading, 'state-change', 'question-close')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  return [{ kind: 'state-change', from, to, meta: reading.meta }]
}

export function readProgress(
  reading: Reading,
  wire: WireEvent<'agent.progress.updated'>,
): readonly SluiceEvent[] {
  const countdown = takeCarried(reading, 'countdown', isCountdown)
  if (countdown !== undefined)
    reading.meta.ext = { sluice: { countdown: countdown.token, leftMs: countdown.leftMs } }
  const carried = readAgreedEvent(reading, 'progress')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  const { percent, step, total_steps, description, ...others } = wire.progress
  if (Object.keys(others).length > 0) keepField(reading, 'progress', wire.progress as JsonObject)
  return [
    omitUndefined({
      kind: 'progress',
      percent,
      step,
      total: total_steps,
      text: description,
      etaMs: wire.eta_ms,
      meta: reading.meta,
    }),
  ]
}

function isCountdown(
  value: JsonValue | undefined,
): value is { readonly token: string; readonly leftMs: number } {
  return (
    isJsonObject(value) &&
    Object.keys(value).length === 2 &&
    typeof value['token'] === 'string' &&
    typeof value['leftMs'] === 'number' &&
    value['leftMs'] >= 0
  )
}

/** The events of a tool frame, and the calls without an id that are open after it. */
export interface ReadTool {
  readonly events: readonly SluiceEvent[]
  readonly unnamed: readonly UnnamedCall[]
}

export function readInvoked(
  reading: Reading,
  wire: WireEvent<'agent.tool.invoked'>,
  state: AaepSequence,
): ReadTool {
  const { session } = reading
  const { args_summary, irreversible } = wire
  const tool = readTool(reading, wire.tool)
  const call = readCall(reading, wire.tool_call_id) ?? toUnnamedCall(session.calls.next)
  if (tableGet(session.calls, call) !== undefined)
    reading.findings.push(breach(aaepRules.callRepeated, '/tool_call_id'))
  if (irreversible === true && !mayAct(permissionOf(session), session.status))
    reading.findings.push(breach(aaepRules.unconfirmed, '/irreversible'))
  const risk = readRisk(reading, wire.risk_level)
  const unnamed = wire.tool_call_id === undefined ? [...state.unnamed, { call, tool }] : state.unnamed
  const carried = readAgreedEvent(reading, 'tool-call')
  if (carried?.kind === 'tool-call')
    return { events: [{ ...carried, call, tool, meta: reading.meta }], unnamed }
  const event: SluiceEvent = omitUndefined({
    kind: 'tool-call',
    call,
    tool,
    argsSummary: args_summary,
    risk,
    irreversible,
    meta: reading.meta,
  })
  return { events: [event], unnamed }
}

const statuses = ['success', 'error', 'timeout'] as const

export function readToolCompleted(
  reading: Reading,
  wire: WireEvent<'agent.tool.completed'>,
  state: AaepSequence,
): ReadTool {
  const { session } = reading
  const { duration_ms, error_message } = wire
  const tool = readTool(reading, wire.tool)
  const named = readCall(reading, wire.tool_call_id)
  const index = named === undefined ? state.unnamed.findIndex((open) => open.tool === tool) : -1
  const call = named ?? state.unnamed[index]?.call ?? toUnnamedCall(session.calls.next)
  const known = tableGet(session.calls, call)
  if (known === undefined || known.status !== undefined)
    reading.findings.push(
      breach(aaepRules.resultWithoutCall, named === undefined ? '/tool' : '/tool_call_id'),
    )
  else if (known.tool !== tool) reading.findings.push(breach(aaepRules.otherTool, '/tool'))
  const unnamed = index < 0 ? state.unnamed : state.unnamed.toSpliced(index, 1)
  const status: ToolResult['status'] | undefined = statuses.find((value) => value === wire.status)
  if (status === undefined) keepField(reading, 'status', wire.status)
  const carried = readAgreedEvent(reading, 'tool-result')
  const read = { call, tool, message: error_message, meta: reading.meta }
  const event: SluiceEvent =
    carried?.kind === 'tool-result'
      ? joinFields(carried, omitUndefined(read))
      : omitUndefined({
          kind: 'tool-result',
          status: status ?? 'error',
          durationMs: duration_ms,
          ...read,
        })
  return { events: [event], unnamed }
}

/** An unknown level counts as high. */
export function readRisk(reading: Reading, level: string | undefined): Risk | undefined {
  if (level === undefined || level === 'low' || level === 'medium' || level === 'high') return level
  keepField(reading, 'risk_level', level)
  return 'high'
}

function readTool(reading: Reading, name: string): string {
  return (
    takeCarried(reading, 'tool', (value): value is string => isText(value) && toToolName(value) === name) ??
    name
  )
}

function readCall(reading: Reading, id: string | undefined): string | undefined {
  if (id === undefined) return undefined
  return (
    takeCarried(reading, 'call', (value): value is string => isText(value) && toCallId(value) === id) ?? id
  )
}
