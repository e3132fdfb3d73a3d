import { type JsonObject, type RunAnswer, type SluiceEvent, tableGet } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { endText } from './map-text.ts'
import { addTool, failCall, tellCall } from './map-tool.ts'
import { readOptions, readTool, toObject } from './native.ts'
import {
  type Decision,
  encodeCancelled,
  encodeDecision,
  type OpenPermission,
  toDecision,
  toQuestion,
} from './permission.ts'
import { encodeError, type RpcId, rpcCodes } from './rpc.ts'
import type { AcpState } from './state.ts'

/** Handles a permission request: emits the call, then asks a person or decides, as configured. */
export function askPermission(before: AcpState, id: RpcId, params: JsonObject): Mapped<AcpState> {
  const fields = readTool(toObject(params['toolCall']))
  if (fields === undefined || before.asked !== 'prompt')
    return { state: before, events: [], write: [encodeCancelled(id)] }
  const text = endText(before.text)
  const seen = addTool(before.calls, { ...fields, status: undefined })
  const told = tellCall(seen.calls, fields.id)
  const permissionCount = before.permissionCount + 1
  const state = { ...before, text: text.state, calls: told.calls, permissionCount }
  const events = [...text.events, ...seen.events, ...told.events]
  const permission: OpenPermission = {
    token: `permission-${permissionCount}`,
    id,
    call: fields.id,
    options: readOptions(params['options']),
  }
  const { permissions, askTimeoutMs } = before.options
  const known = tableGet(told.calls, fields.id)
  if (permissions !== 'ask' || known === undefined) {
    const decided = decide(state, permission, permissions === 'allow' ? 'accept' : 'reject')
    return { ...decided, events }
  }
  const title = before.names.title ?? before.abilities.title ?? 'The agent'
  return {
    state: { ...state, permissions: [...state.permissions, permission] },
    events: [...events, toQuestion(permission, known, { title, askTimeoutMs })],
  }
}

/** Answers the agent with the outcome of a question. */
export function answerPermission(state: AcpState, answer: RunAnswer): Mapped<AcpState> {
  const found = state.permissions.find(({ token }) => token === answer.token)
  return found === undefined
    ? { state, events: [] }
    : decide(without(state, found), found, toDecision(answer))
}

/** Handles the agent's cancellation of its permission request. */
export function withdrawPermission(state: AcpState, id: RpcId): Mapped<AcpState> {
  const found = state.permissions.find((open) => open.id === id)
  if (found === undefined) return { state, events: [] }
  return {
    state: without(state, found),
    events: [toClose(found)],
    write: [encodeError(id, rpcCodes.cancelled, 'Request cancelled')],
  }
}

/** Closes the open questions at the end of the turn, and fails the refused calls, which did not run. */
export function closePermissions(state: AcpState): Mapped<AcpState> {
  const events = state.permissions.map(toClose)
  let { calls } = state
  for (const id of state.refused) {
    const failed = failCall(calls, id)
    calls = failed.calls
    events.push(...failed.events)
  }
  return { state: { ...state, calls, permissions: [], refused: [] }, events }
}

function decide(state: AcpState, permission: OpenPermission, decision: Decision): Mapped<AcpState> {
  const isRefused = decision === 'reject' || decision === 'reject_always'
  return {
    state: isRefused ? { ...state, refused: [...state.refused, permission.call] } : state,
    events: [],
    write: [encodeDecision(permission, decision)],
  }
}

function toClose({ token }: OpenPermission): SluiceEvent {
  return { kind: 'question-close', token, how: 'cancelled' }
}

function without(state: AcpState, permission: OpenPermission): AcpState {
  return { ...state, permissions: state.permissions.filter((open) => open !== permission) }
}
