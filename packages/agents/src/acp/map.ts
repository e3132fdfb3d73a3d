import type { CancelNotification } from '@agentclientprotocol/sdk'
import { type JsonObject, type JsonValue, type SluiceEvent, tableGet } from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { proceed, refuse } from './handshake.ts'
import { endText } from './map-text.ts'
import { addTool, tellCall } from './map-tool.ts'
import { endTurn } from './map-turn.ts'
import { mapUpdate } from './map-update.ts'
import { readOptions, readTool, toObject } from './native.ts'
import { encodeCancelled, encodeDecision, type OpenPermission, toDecision, toQuestion } from './permission.ts'
import { encodeError, encodeNotification, type RpcId, readRpc, rpcCodes } from './rpc.ts'
import { type AcpState, createState, type Names } from './state.ts'

/** Turns what an agent says in the Agent Client Protocol into events, and speaks with it up to the end of one turn. */
export function createAcpMapper(names: Names): CliMapper<AcpState> {
  return {
    format: 'json',
    initial: (request, options) => createState(names, request, options),
    step(state, line) {
      const message = readRpc(line)
      switch (message?.type) {
        case undefined:
          return { state, events: [], isMalformed: true }
        case 'result':
          return isAnswer(state, message.id) ? takeResult(state, message.result) : nothing(state)
        case 'error':
          return isAnswer(state, message.id) && state.asked !== undefined
            ? close(refuse(state, state.asked, message.error))
            : nothing(state)
        case 'notification':
          return takeNotification(state, message.method, message.params)
        case 'request':
          return message.method === 'session/request_permission'
            ? takePermission(state, message.id, message.params)
            : {
                ...nothing(state),
                write: [encodeError(message.id, rpcCodes.methodNotFound, 'Method not found')],
              }
      }
    },
    answer(state, answer) {
      const found = state.permissions.find(({ token }) => token === answer.token)
      if (found === undefined) return nothing(state)
      const write = [encodeDecision(found, toDecision(answer))]
      return { state: without(state, found), events: [], write }
    },
    stop({ permissions, session, asked }) {
      const lines = permissions.map(({ id }) => encodeCancelled(id))
      if (session === undefined || asked !== 'prompt') return lines
      const params: CancelNotification = { sessionId: session }
      return [...lines, encodeNotification('session/cancel', params)]
    },
    end(state) {
      const ended = endText(state.text, state.isBroken || state.asked === 'prompt')
      return close({ state: { ...state, text: ended.state }, events: ended.events })
    },
  }
}

function takeResult(state: AcpState, result: JsonValue): Mapped<AcpState> {
  if (state.asked === 'prompt') return close(endTurn(state, result))
  return state.asked === undefined ? nothing(state) : proceed(state, state.asked, result)
}

function takeNotification(state: AcpState, method: string, params: JsonObject): Mapped<AcpState> {
  if (method === '$/cancel_request') {
    const found = state.permissions.find(({ id }) => id === params['requestId'])
    return found === undefined ? nothing(state) : withdraw(state, found)
  }
  // What comes before the prompt is the history of a session that is taken up.
  const isOurs =
    params['sessionId'] === state.session && (state.asked === 'prompt' || state.asked === undefined)
  return method === 'session/update' && isOurs ? mapUpdate(state, toObject(params['update'])) : nothing(state)
}

function takePermission(before: AcpState, id: RpcId, params: JsonObject): Mapped<AcpState> {
  const options = readOptions(params['options'])
  const token = `permission-${before.permissionCount + 1}`
  const permission: OpenPermission = { token, id, options }
  const fields = readTool(toObject(params['toolCall']))
  if (fields === undefined || before.asked !== 'prompt')
    return { ...nothing(before), write: [encodeCancelled(id)] }
  const text = endText(before.text)
  const seen = addTool(before.calls, { ...fields, status: undefined })
  const told = tellCall(seen.calls, fields.id)
  const state = { ...before, text: text.state, calls: told.calls }
  const events = [...text.events, ...seen.events, ...told.events]
  const { permissions, askTimeoutMs } = before.options
  const known = tableGet(told.calls, fields.id)
  if (permissions !== 'ask' || known === undefined) {
    const decision = permissions === 'allow' ? 'accept' : 'reject'
    return { state, events, write: [encodeDecision(permission, decision)] }
  }
  const title = before.names.title ?? before.abilities.title ?? 'The agent'
  return {
    state: {
      ...state,
      permissions: [...state.permissions, permission],
      permissionCount: state.permissionCount + 1,
    },
    events: [...events, toQuestion(permission, { id: fields.id, known }, { title, askTimeoutMs })],
  }
}

/** The agent does not want to know any more. */
function withdraw(state: AcpState, permission: OpenPermission): Mapped<AcpState> {
  return {
    state: without(state, permission),
    events: [toClose(permission)],
    write: [encodeError(permission.id, rpcCodes.cancelled, 'Request cancelled')],
  }
}

/** Nobody waits for an answer any more. */
function close(mapped: Mapped<AcpState>): Mapped<AcpState> {
  const { state, events } = mapped
  if (state.permissions.length === 0) return mapped
  return {
    ...mapped,
    state: { ...state, permissions: [] },
    events: [...state.permissions.map(toClose), ...events],
  }
}

function toClose({ token }: OpenPermission): SluiceEvent {
  return { kind: 'question-close', token, how: 'cancelled' }
}

function without(state: AcpState, permission: OpenPermission): AcpState {
  return { ...state, permissions: state.permissions.filter((open) => open !== permission) }
}

function isAnswer(state: AcpState, id: RpcId): boolean {
  return state.asked !== undefined && id === state.id
}

function nothing(state: AcpState): Mapped<AcpState> {
  return { state, events: [] }
}
