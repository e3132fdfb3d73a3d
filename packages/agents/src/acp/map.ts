import type { CancelNotification } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { proceed, refuse } from './handshake.ts'
import { releaseHeld, takeUpdate } from './map-history.ts'
import { answerPermission, askPermission, closePermissions, withdrawPermission } from './map-permission.ts'
import { endText } from './map-text.ts'
import { endTurn } from './map-turn.ts'
import { toObject } from './native.ts'
import { encodeCancelled } from './permission.ts'
import { encodeError, encodeNotification, isRpcId, type RpcMessage, readRpc, rpcCodes } from './rpc.ts'
import { type AcpState, createState, type Names } from './state.ts'

type Step = (state: AcpState) => Mapped<AcpState>

/** Maps Agent Client Protocol messages to events, and talks to the agent until the end of one turn. */
export function createAcpMapper(names: Names): CliMapper<AcpState> {
  return {
    format: 'json',
    initial: (request, options) => createState(names, request, options),
    step(state, line) {
      const message = readRpc(line)
      return message === undefined ? { state, events: [], isMalformed: true } : take(state, message)
    },
    answer: answerPermission,
    stop({ permissions, session, asked }) {
      const lines = permissions.map(({ id }) => encodeCancelled(id))
      if (session === undefined || asked !== 'prompt') return lines
      const params: CancelNotification = { sessionId: session }
      return [...lines, encodeNotification('session/cancel', params)]
    },
    end: (state) =>
      inOrder(state, releaseHeld, closePermissions, (last) => {
        const { state: text, events } = endText(last.text, {
          isInterrupted: last.isBroken || last.asked === 'prompt',
        })
        return { state: { ...last, text }, events }
      }),
  }
}

function take(state: AcpState, message: RpcMessage): Mapped<AcpState> {
  switch (message.type) {
    case 'result':
    case 'error':
      return message.id === state.id ? takeAnswer(state, message) : nothing(state)
    case 'notification':
      return takeNotification(state, message.method, message.params)
    case 'request': {
      const { id, method, params } = message
      if (method === 'session/request_permission')
        return inOrder(state, releaseHeld, (next) => askPermission(next, id, params))
      return { ...nothing(state), write: [encodeError(id, rpcCodes.methodNotFound, 'Method not found')] }
    }
  }
}

/** Handles the response to our one pending request. */
function takeAnswer(state: AcpState, answer: RpcMessage & { type: 'result' | 'error' }): Mapped<AcpState> {
  const { asked } = state
  if (asked === undefined) return nothing(state)
  if (asked !== 'prompt')
    return answer.type === 'error' ? refuse(state, asked, answer.error) : proceed(state, asked, answer.result)
  return inOrder(state, releaseHeld, closePermissions, (next) =>
    answer.type === 'error' ? refuse(next, asked, answer.error) : endTurn(next, answer.result),
  )
}

function takeNotification(state: AcpState, method: string, params: JsonObject): Mapped<AcpState> {
  const { sessionId, requestId, update } = params
  if (method === '$/cancel_request' && isRpcId(requestId)) return withdrawPermission(state, requestId)
  // Updates before the prompt are the history of a resumed session.
  const isInTurn = state.asked === 'prompt' || state.asked === undefined
  if (method !== 'session/update' || sessionId !== state.session || !isInTurn) return nothing(state)
  return takeUpdate(state, toObject(update))
}

/** Runs the steps in order and joins their events. Only the last step may have a verdict. */
function inOrder(first: AcpState, ...steps: readonly Step[]): Mapped<AcpState> {
  return steps.reduce<Mapped<AcpState>>((before, step) => {
    const { events, ...after } = step(before.state)
    return { ...after, events: [...before.events, ...events] }
  }, nothing(first))
}

function nothing(state: AcpState): Mapped<AcpState> {
  return { state, events: [] }
}
