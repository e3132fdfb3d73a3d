import type { QuestionClose, StateChange, ToolCall, ToolResult } from '../../events.ts'
import { carryEvent, cut, toMilliseconds } from './bounds.ts'
import type { FrameBody } from './draft.ts'
import { carriedOf, coreBody } from './encode-session.ts'
import { toCallId, toName, toStateName, toToolName } from './names.ts'
import type { Speaker, Spoken } from './sentences.ts'
import { isInChain, mayAct, type Permission, type StateEvidence } from './sequence.ts'
import type { AaepView } from './view.ts'
import { maxTerse, maxText } from './wire/vocabulary.ts'

export function stateBody(view: StateEvidence, event: StateChange, speaker: Speaker): FrameBody {
  const { from, to } = event
  const from_state = from !== undefined && isInChain(from, view) ? from : toStateName(view.status)
  const to_state = toStateName(to)
  const isLossy = to_state !== to || (from !== undefined && from_state !== from)
  return coreBody('agent.state.changed', {
    urgency: 'background',
    fields: { from_state, to_state },
    spoken: speaker.sayState(to_state),
    hasText: false,
    ...carriedOf(isLossy ? carryEvent(event) : undefined),
  })
}

/** The agent starts to think aloud, for which AAEP has only a state. */
export function thinkingBody(view: AaepView, speaker: Speaker): FrameBody {
  return coreBody('agent.state.changed', {
    urgency: 'background',
    fields: { from_state: toStateName(view.status), to_state: 'thinking' },
    spoken: speaker.say('thinking'),
    hasText: false,
  })
}

/** AAEP announces an answer to all subscribers through the state that the agent enters next (AAEP §6). */
export function closeBody(event: QuestionClose, speaker: Speaker): FrameBody {
  return coreBody('agent.state.changed', {
    fields: { from_state: 'awaiting_input', to_state: 'thinking' },
    spoken: sayOutcome(event, speaker),
    hasText: false,
    ...carriedOf(carryEvent(event)),
  })
}

function sayOutcome({ how, decision }: QuestionClose, speaker: Speaker): Spoken {
  if (how === 'cancelled') return speaker.say('questionWithdrawn')
  const isLate = how === 'timeout'
  if (decision === 'accept') return speaker.say(isLate ? 'noAnswerAccepted' : 'requestAccepted')
  if (decision === 'reject') return speaker.say(isLate ? 'noAnswerRejected' : 'requestRejected')
  return speaker.say(isLate ? 'noAnswer' : 'questionAnswered')
}

/** The names of a call; carries the original ones if AAEP's alphabet lacks some of their letters. */
function callNames(call: string, tool: string) {
  const tool_call_id = toCallId(call)
  const name = toToolName(tool)
  return {
    fields: { tool: name, tool_call_id },
    carried: [
      tool_call_id === undefined || tool_call_id === call ? undefined : { call: toName(call) },
      name === tool ? undefined : { tool },
    ],
  }
}

export function callBody(
  view: Permission & Pick<StateEvidence, 'status'>,
  event: ToolCall,
  speaker: Speaker,
): FrameBody {
  const { call, tool, argsSummary, risk, irreversible } = event
  const { fields, carried } = callNames(call, tool)
  const args_summary = argsSummary === undefined ? undefined : cut(argsSummary, maxText)
  const isUnconfirmed = irreversible === true && !mayAct(view, view.status)
  const isLossy = args_summary !== argsSummary || isUnconfirmed
  return coreBody('agent.tool.invoked', {
    fields: {
      ...fields,
      args_summary,
      risk_level: risk,
      irreversible: isUnconfirmed ? undefined : irreversible,
    },
    spoken: speaker.sayTool(tool),
    hasText: args_summary !== undefined && args_summary !== '',
    ...carriedOf(...carried, isLossy ? carryEvent(event) : undefined),
  })
}

export function resultBody(
  event: ToolResult,
  { speaker, isNative }: { readonly speaker: Speaker; readonly isNative: boolean },
): FrameBody {
  const { call, tool, status, message, exitCode, durationMs } = event
  const { fields, carried } = callNames(call, tool)
  const duration_ms = durationMs === undefined ? undefined : toMilliseconds(durationMs)
  // On success a message is the result, which AAEP has no place for.
  const says = message === undefined || (status === 'success' && !isNative) ? '' : cut(message, maxTerse)
  const isLossy = exitCode !== undefined || duration_ms !== durationMs
  return coreBody('agent.tool.completed', {
    fields: { ...fields, status, duration_ms, error_message: says === '' ? undefined : says },
    // The success of a tool is not worth saying.
    spoken:
      status === 'success' ? undefined : speaker.say(status === 'error' ? 'toolFailed' : 'toolTimedOut'),
    hasText: says !== '',
    ...carriedOf(...carried, isLossy ? carryEvent(event) : undefined),
  })
}
