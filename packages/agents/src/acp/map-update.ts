import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { readPlan } from '../cli/read-plan.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import { addChunk, endText, type TextStep } from './map-text.ts'
import { addTool } from './map-tool.ts'
import { readTool, toObject, toText } from './native.ts'
import type { AcpState } from './state.ts'

type UpdateType = SessionUpdate['sessionUpdate']

/** Maps an update of the turn. Drops updates about the agent's settings, commands and titles. */
export function mapUpdate(state: AcpState, update: JsonObject): Mapped<AcpState> {
  // Unchecked: the switch compares it with the protocol's types, and `default` takes all others.
  switch (update['sessionUpdate'] as UpdateType | undefined) {
    case 'agent_message_chunk':
      return withText(state, addChunk(state.text, 'answer', update))
    case 'agent_thought_chunk':
      return withText(state, addChunk(state.text, 'reasoning', update))
    case 'tool_call':
    case 'tool_call_update':
      return takeTool(state, update)
    case 'plan': {
      const plan = readPlan(update['entries'], 'content')
      return { state, events: plan === undefined ? [] : [plan] }
    }
    case 'usage_update': {
      const { amount, currency } = toObject(update['cost'])
      const code = toText(currency)
      const isCost = typeof amount === 'number' && amount >= 0 && code !== undefined
      return { state: isCost ? { ...state, cost: { amount, currency: code } } : state, events: [] }
    }
    case 'user_message_chunk':
    case 'available_commands_update':
    case 'current_mode_update':
    case 'config_option_update':
    case 'session_info_update':
    case 'notice':
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return { state, events: [] }
    default:
      return { state, events: [unknownLine(state.names.label, update['sessionUpdate'])] }
  }
}

function withText(state: AcpState, { state: text, events }: TextStep): Mapped<AcpState> {
  return { state: { ...state, text }, events }
}

/** The `tool-call` event of a call ends the text before it. */
function takeTool(state: AcpState, update: JsonObject): Mapped<AcpState> {
  const fields = readTool(update)
  if (fields === undefined) return { state, events: [] }
  const { calls, events } = addTool(state.calls, fields)
  const isBegun = events.some(({ kind }) => kind === 'tool-call')
  const ended = isBegun ? endText(state.text) : { state: state.text, events: [] }
  return { state: { ...state, calls, text: ended.state }, events: [...ended.events, ...events] }
}
