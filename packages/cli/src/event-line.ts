import type { Part, SluiceEvent } from '@sluice/protocol'
import { toCountedLine, toSafeLine } from './safe-text.ts'

type EventOf<Kind extends SluiceEvent['kind']> = Extract<SluiceEvent, { kind: Kind }>

/** One line of a transcript for an event; undefined for one that needs none, such as a piece of text. */
export function describeEvent(event: SluiceEvent): string | undefined {
  switch (event.kind) {
    case 'session-start':
      return describeStart(event)
    case 'session-end':
      return describeEnd(event)
    case 'state-change':
      return `- ${toSafeLine(event.to).replaceAll('_', ' ')}`
    case 'progress':
      return describeProgress(event)
    case 'message':
      return describeMessage(event)
    case 'text-reset':
      return event.channel === 'answer' ? '- the text starts again' : undefined
    case 'text-end':
      return event.interrupted === true ? '- the text was interrupted' : undefined
    case 'part-add':
      return `+ ${describePart(event.part)}`
    case 'tool-call':
      return join(`> ${toSafeLine(event.tool)}`, event.argsSummary)
    case 'tool-result':
      return describeResult(event)
    case 'sources':
      return `+ ${count(event.items.length, 'source')}`
    case 'question-open':
      return describeQuestion(event)
    case 'question-close':
      return describeAnswer(event)
    case 'handoff':
      return join(`! handed over to ${event.target.replaceAll('_', ' ')}`, event.reason)
    case 'notice':
      return event.level === 'debug' ? undefined : `! ${event.level}: ${toSafeLine(event.text)}`
    case 'unknown':
      return `- ${toSafeLine(event.type)}`
    case 'text-delta':
    case 'tool-call-delta':
    case 'usage':
    case 'state-data':
      return undefined
  }
}

function describeStart({ request, meta }: EventOf<'session-start'>): string {
  const agent = toSafeLine(meta?.agent?.name ?? meta?.agent?.id ?? 'The agent')
  return join(request === undefined ? `# ${agent} begins` : `# ${agent} was asked`, request)
}

function describeEnd({ outcome, error, durationMs }: EventOf<'session-end'>): string {
  const time = durationMs === undefined ? '' : ` after ${formatSeconds(durationMs)}`
  return join(`# ${outcome}${time}`, error?.message ?? error?.code)
}

function describeProgress({ percent, step, total, text }: EventOf<'progress'>): string {
  const share = percent === undefined ? [] : [`${Math.round(percent)} %`]
  const place = step === undefined ? [] : [total === undefined ? `step ${step}` : `step ${step} of ${total}`]
  return join(`- ${[...share, ...place].join(', ') || 'working'}`, text)
}

function describeMessage({ role, parts }: EventOf<'message'>): string {
  return `${role === 'user' ? 'user' : 'agent'}: ${parts.map(describePart).join(' ')}`
}

function describePart(part: Part): string {
  switch (part.type) {
    case 'text':
      return toCountedLine(part.text, 2000)
    case 'file':
      return `file ${toSafeLine(part.name ?? part.uri ?? 'without a name')}`
    case 'data':
      return 'data'
  }
}

function describeResult({ tool, status, message, durationMs, meta }: EventOf<'tool-result'>): string {
  const time = durationMs === undefined ? '' : ` in ${formatSeconds(durationMs)}`
  return join(`< ${toSafeLine(tool)} ${status}${time}`, message ?? meta?.summaries?.normal)
}

function describeQuestion(event: EventOf<'question-open'>): string {
  const { question, token, text, consequence, choices, allowed, timeoutMs } = event
  const kinds =
    question === 'confirmation' ? (allowed ?? ['accept', 'reject']) : choices?.map(({ value }) => value)
  const notes = [
    ...(kinds === undefined || kinds.length === 0
      ? []
      : [kinds.map((kind) => toSafeLine(kind)).join(' or ')]),
    ...(timeoutMs === undefined ? [] : [`within ${formatSeconds(timeoutMs)}`]),
    ...(event.default === undefined ? [] : [`else ${toSafeLine(event.default)}`]),
    `token ${toSafeLine(token)}`,
  ]
  const asked = [text, consequence ?? '']
    .filter((part) => part !== '')
    .map((part) => toCountedLine(part, 1000))
  return `? ${asked.join(' ')} [${notes.join(', ')}]`
}

function describeAnswer(event: EventOf<'question-close'>): string {
  const { how, decision, response, by, claimedBy } = event
  const claim = claimedBy === undefined ? '' : ` (claimed by ${toSafeLine(claimedBy)})`
  const who = by === undefined ? claim : ` by ${toSafeLine(by)}`
  const answer = decision ?? (response === undefined ? undefined : String(response))
  return join(`= ${how}${who}`, answer)
}

/** `head: text`, or the head alone. */
function join(head: string, text: string | undefined): string {
  return text === undefined || text === '' ? head : `${head}: ${toCountedLine(text, 1000)}`
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}

function formatSeconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}
