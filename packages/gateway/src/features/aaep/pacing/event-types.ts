import { isJsonObject, type SluiceEvent } from '@sluice/protocol'

/** The AAEP types that an event is sent as; the last is the type of the event itself. */
export function typesOf(event: SluiceEvent): readonly string[] {
  switch (event.kind) {
    case 'session-start':
      return ['aaep:agent.session.started']
    case 'session-end':
      return [endTypes[event.outcome]]
    case 'state-change':
    case 'question-close':
      return ['aaep:agent.state.changed']
    case 'progress':
      return ['aaep:agent.progress.updated']
    case 'tool-call':
      return ['aaep:agent.tool.invoked']
    case 'tool-result':
      return ['aaep:agent.tool.completed']
    case 'question-open':
      return [
        event.question === 'clarification'
          ? 'aaep:agent.awaiting.clarification'
          : 'aaep:agent.awaiting.confirmation',
      ]
    case 'handoff':
      return ['aaep:agent.handoff.requested']
    case 'text-delta':
    case 'text-reset':
      return event.channel === 'answer'
        ? [streamingType]
        : ['aaep:agent.state.changed', `sluice:${event.kind}`]
    case 'text-end':
      return [streamingType]
    case 'message':
      return event.role === 'agent' ? [streamingType, 'sluice:message'] : ['sluice:message']
    case 'unknown': {
      const type = isJsonObject(event.data) ? event.data['type'] : undefined
      return typeof type === 'string' ? ['sluice:unknown', type] : ['sluice:unknown']
    }
    case 'tool-call-delta':
      return []
    default:
      return [`sluice:${event.kind}`]
  }
}

export const streamingType = 'aaep:agent.output.streaming'

const endTypes = {
  completed: 'aaep:agent.session.completed',
  failed: 'aaep:agent.session.errored',
  rejected: 'aaep:agent.session.errored',
  cancelled: 'aaep:agent.session.cancelled',
} as const
