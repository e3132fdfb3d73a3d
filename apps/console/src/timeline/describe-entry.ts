import type { SluiceFrame } from '@sluice/client'
import type { EventKind, SluiceEvent } from '@sluice/protocol'
import { isClaimed } from '@sluice/react'
import { describeStatus } from '../sessions/session-words.ts'

/** An entry on one line: what it is, and the beginning of its text. */
export interface EntryLine {
  readonly label: string
  readonly text: string
}

/** Decides which event of an entry with several is shown. */
const order: readonly EventKind[] = [
  'session-end',
  'question-open',
  'question-close',
  'tool-call',
  'tool-result',
  'notice',
  'handoff',
  'session-start',
  'message',
  'part-add',
  'sources',
  'text-reset',
  'text-delta',
  'tool-call-delta',
  'usage',
  'progress',
  'state-data',
  'unknown',
  'state-change',
  'text-end',
]

const maxText = 300

/** The line of an entry. Text of agents is shown as it is, on one line and truncated. */
export function describeEntry({ events, direction }: SluiceFrame): EntryLine {
  const told = events.filter(({ meta }) => meta?.implied !== true)
  const [first] = [...(told.length > 0 ? told : events)].sort(
    (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind),
  )
  if (first === undefined) return { label: direction === 'input' ? 'Input' : 'Nothing', text: '' }
  const line = describeEvent(first)
  return { label: line.label, text: line.text.slice(0, maxText).replace(/\s+/g, ' ').trim() }
}

/** One event: its name for people, and its text. */
export function describeEvent(event: SluiceEvent): EntryLine {
  switch (event.kind) {
    case 'session-start':
      return { label: 'Start', text: event.request ?? '' }
    case 'session-end':
      return { label: 'End', text: event.error?.message ?? event.outcome }
    case 'state-change':
      return { label: 'State', text: describeStatus(event.to) }
    case 'progress':
      return { label: 'Progress', text: describeProgress(event) }
    case 'message':
      return { label: event.role === 'user' ? 'Message to the agent' : 'Message', text: textOf(event.parts) }
    case 'text-delta':
      return { label: event.channel === 'reasoning' ? 'Reasoning' : 'Text', text: event.text }
    case 'text-end':
      return { label: 'Text ends', text: event.interrupted === true ? 'interrupted' : '' }
    case 'text-reset':
      return { label: 'Text begins anew', text: '' }
    case 'part-add':
      return { label: event.part.type === 'file' ? 'File' : 'Data', text: nameOf(event.part) }
    case 'tool-call':
      return { label: 'Tool', text: `${event.tool} ${event.argsSummary ?? ''}` }
    case 'tool-call-delta':
      return { label: 'Tool arguments', text: event.argsText }
    case 'tool-result':
      return { label: 'Tool result', text: `${event.tool}: ${event.message ?? event.status}` }
    case 'sources':
      return { label: 'Sources', text: `${event.items.length}` }
    case 'question-open':
      return { label: 'Question', text: event.text }
    case 'question-close':
      return { label: 'Answer', text: describeAnswer(event) }
    case 'handoff':
      return { label: 'Handover', text: event.reason }
    case 'notice':
      return { label: levels[event.level], text: event.text }
    case 'usage':
      return { label: 'Usage', text: `${event.inputTokens ?? 0} tokens in, ${event.outputTokens ?? 0} out` }
    case 'state-data':
      return { label: 'Shared state', text: event.patch === undefined ? 'snapshot' : 'patch' }
    case 'unknown':
      return { label: 'Unknown', text: event.type }
  }
}

const levels = { debug: 'Debug', info: 'Notice', warning: 'Warning', error: 'Error' } as const

function describeProgress({
  text,
  percent,
  step,
  total,
}: Extract<SluiceEvent, { kind: 'progress' }>): string {
  const place =
    step === undefined
      ? percent === undefined
        ? ''
        : `${Math.round(percent)} %`
      : `${step}${total === undefined ? '' : ` of ${total}`}`
  return [place, text].filter((part) => part !== undefined && part !== '').join(': ')
}

function describeAnswer(close: Extract<SluiceEvent, { kind: 'question-close' }>): string {
  const { how, decision, response, by, claimedBy } = close
  const answer = decision ?? response
  const what =
    how === 'answered' ? String(answer ?? '') : `${how}${answer === undefined ? '' : `, ${answer}`}`
  const name = by ?? claimedBy
  const told = [what, ...(name === undefined ? [] : [`by ${name}`])]
  return [...told, ...(isClaimed(close) ? ['says the agent'] : [])].filter((part) => part !== '').join(', ')
}

function textOf(parts: Extract<SluiceEvent, { kind: 'message' }>['parts']): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')
}

function nameOf(part: Extract<SluiceEvent, { kind: 'part-add' }>['part']): string {
  return part.type === 'file' ? (part.name ?? part.mediaType ?? '') : (part.mediaType ?? '')
}
