import type { SluiceEvent } from './events.ts'

/** One short sentence for people, without payloads: no arguments, no results, no request. Never empty. */
export function describe(event: SluiceEvent): string {
  switch (event.kind) {
    case 'session-start':
      return 'The session has started.'
    case 'session-end':
      return event.error?.message || `The session has ended: ${event.outcome}.`
    case 'state-change':
      return `The agent is in the state ${event.to || 'unknown'}.`
    case 'progress':
      return describeProgress(event)
    case 'message':
      return event.role === 'user' ? 'A message of the user.' : 'A message of the agent.'
    case 'text-delta':
      return 'A text goes on.'
    case 'text-end':
      return event.interrupted === true ? 'A text was interrupted.' : 'A text is complete.'
    case 'text-reset':
      return 'A text begins anew.'
    case 'part-add':
      return event.part.type === 'file' ? `A file: ${event.part.name || 'unnamed'}.` : 'Data was added.'
    case 'tool-call':
      return `The tool ${event.tool || 'unknown'} has started.`
    case 'tool-call-delta':
      return 'The arguments of a tool go on.'
    case 'tool-result':
      return `The tool ${event.tool || 'unknown'} has ended: ${event.status}.`
    case 'sources':
      return `Sources: ${event.items.length}.`
    case 'question-open':
      return event.text || 'The agent asks a question.'
    case 'question-close':
      return `The question is closed: ${event.how}.`
    case 'handoff':
      return event.reason || `The agent hands over to ${event.target}.`
    case 'notice':
      return event.text || `A notice of the level ${event.level}.`
    case 'usage':
      return `Tokens: ${event.inputTokens ?? 0} in, ${event.outputTokens ?? 0} out.`
    case 'state-data':
      return 'The shared state has changed.'
    case 'unknown':
      return `An event of the type ${event.type || 'unknown'}.`
  }
}

function describeProgress({
  text,
  percent,
  step,
  total,
}: Extract<SluiceEvent, { kind: 'progress' }>): string {
  if (text !== undefined && text !== '') return text
  if (percent !== undefined) return `${Math.round(percent)} percent done.`
  if (step !== undefined) return total === undefined ? `Step ${step}.` : `Step ${step} of ${total}.`
  return 'The work goes on.'
}
