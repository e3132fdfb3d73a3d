import { detach } from '../../detach.ts'
import type { AgentIdentity, SluiceEvent, TextChannel } from '../../events.ts'
import { isAcceptance } from '../../fold.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import type { SessionState } from '../../session-state.ts'
import { tablePick } from '../../table.ts'
import { stringifyWellFormed } from '../../well-formed-json.ts'
import { mintOf, toName, toOutputId } from './names.ts'
import { isSameAgent, toProducer } from './producer.ts'
import { type Permission, permissionOf, type StateEvidence, toAsked } from './sequence.ts'
import { isWithin, type Minute, minuteOf } from './timestamp.ts'
import type { WireProducer } from './wire/envelope.ts'

/** A text that is not complete. */
export interface OpenOutput {
  readonly output: string
  readonly take: number
  readonly channel: TextChannel
  /** Code points so far. */
  readonly length: number
  /**
   * The end of the text, possibly more than is needed: `tailAfter()` cuts the part that decides the
   * boundaries.
   */
  readonly tail: string
  /** Its id on the wire. */
  readonly id: string | undefined
  /** What the extension says about it in every frame: members of a JSON object, or nothing. */
  readonly carriedJson: string
}

/** What an encoder must know about the session so far. A SessionState contains all of it. */
export interface AaepView extends StateEvidence, Permission {
  readonly session: string
  readonly sessionJson: string
  readonly foreign: string | undefined
  readonly context: string | undefined
  /** The prefix of every event id that Sluice mints for this session. */
  readonly mint: string
  /** Every entry so far went out as it came in. */
  readonly isCopy: boolean
  /** The latest event time so far, in ms. */
  readonly at: number
  /** The minute of `at`, or an earlier one. */
  readonly minute: Minute
  readonly agent: AgentIdentity | undefined
  readonly producer: WireProducer
  readonly producerJson: string
  readonly open: readonly OpenOutput[]
}

const tailUnits = 256
/** A tail is cut when it reaches this length: joining texts costs nothing, cutting copies them. */
const maxTailUnits = 1024

export function enterView(session: SessionState, dialect: string): AaepView {
  const { id, foreign, context, agent, uniform, status, eventAt } = session
  const permission = permissionOf(session)
  const producer = toProducer(agent)
  return {
    session: id,
    sessionJson: JSON.stringify(id),
    foreign,
    context,
    mint: mintOf(id),
    isCopy: uniform === undefined || uniform === dialect,
    at: eventAt,
    minute: minuteOf(eventAt),
    status,
    agent,
    producer,
    producerJson: stringifyWellFormed(producer),
    hasCalls: session.calls.next > 0,
    hasOutputs: session.outputs.next > 0,
    hasQuestions: session.questions.next > 0,
    ...permission,
    open: tablePick(session.outputs, session.open.outputs).map(({ output, take, channel, length, text }) => ({
      ...opened(output, take, channel),
      length,
      tail: detach(text.slice(-tailUnits)),
    })),
  }
}

export function openOutputOf(view: AaepView, output: string): OpenOutput | undefined {
  return view.open.length === 1 && view.open[0]?.output === output
    ? view.open[0]
    : view.open.find((open) => open.output === output)
}

export function opened(output: string, take: number, channel: TextChannel): OpenOutput {
  const id = toOutputId(output, take)
  const name = stringifyWellFormed(toName(output))
  const later = take > 0 ? `,"take":${take}` : ''
  const carriedJson = isForeign(output, take, id) ? `"output":${name}${later}` : ''
  return { output, take, channel, length: 0, tail: '', id, carriedJson }
}

/** Whether the id on the wire does not identify the output. */
export function isForeign(output: string, take: number, id: string | undefined): boolean {
  return take > 0 || (id !== undefined && id !== output)
}

/** The output after `text`. */
export function extended(open: OpenOutput, text: string): OpenOutput {
  const { output, take, channel, tail, id, carriedJson } = open
  const isShort = tail.length + text.length <= maxTailUnits
  return {
    output,
    take,
    channel,
    length: open.length + countCodePoints(text),
    tail: isShort ? tail + text : detach(tailAfter(open, text)),
    id,
    carriedJson,
  }
}

/** The last `tailUnits` of the output's text after `text`, however the text was chunked. */
export function tailAfter(open: OpenOutput, text: string): string {
  return text.length >= tailUnits ? text.slice(-tailUnits) : (open.tail + text).slice(-tailUnits)
}

interface AfterChunk {
  readonly isCopy: boolean
  readonly at: number
  readonly next: OpenOutput
}

/** The view after another chunk of an open output. Written out because it runs for nine of ten events. */
export function afterChunk(view: AaepView, { isCopy, at, next }: AfterChunk): AaepView {
  const { open } = view
  return {
    session: view.session,
    sessionJson: view.sessionJson,
    foreign: view.foreign,
    context: view.context,
    mint: view.mint,
    isCopy,
    at,
    minute: isWithin(view.minute, at) ? view.minute : minuteOf(at),
    status: view.status,
    agent: view.agent,
    producer: view.producer,
    producerJson: view.producerJson,
    hasCalls: view.hasCalls,
    hasOutputs: true,
    hasQuestions: view.hasQuestions,
    accepted: view.accepted,
    asked: view.asked,
    open: open.length === 1 ? [next] : [...open.filter(({ output }) => output !== next.output), next],
  }
}

export function withOpen(view: AaepView, next: OpenOutput): AaepView {
  const { open } = view
  if (open.length === 1 && open[0]?.output === next.output) return { ...view, open: [next], hasOutputs: true }
  const others = open.filter(({ output }) => output !== next.output)
  return { ...view, open: [...others, next], hasOutputs: true }
}

export function withoutOpen(view: AaepView, output: string): AaepView {
  // A text may start and end in one frame.
  return { ...view, open: view.open.filter((open) => open.output !== output), hasOutputs: true }
}

/** The view after `agent` has spoken at `at`. */
export function withSpeaker(view: AaepView, agent: AgentIdentity | undefined, at: number): AaepView {
  if (agent === undefined || (view.agent !== undefined && isSameAgent(view.agent, agent)))
    return at > view.at ? { ...view, at } : view
  const producer = toProducer(agent)
  const producerJson = stringifyWellFormed(producer)
  return { ...view, at: Math.max(at, view.at), agent, producer, producerJson }
}

/** The view after an event that is not text. Mirrors fold(). */
export function afterEvent(view: AaepView, event: SluiceEvent): AaepView {
  switch (event.kind) {
    case 'state-change':
      return { ...view, status: event.to }
    case 'part-add':
      return view.hasOutputs ? view : { ...view, hasOutputs: true }
    case 'tool-call':
    case 'tool-result':
      return view.hasCalls ? view : { ...view, hasCalls: true }
    case 'question-open':
      return {
        ...view,
        status: 'awaiting_input',
        hasQuestions: true,
        ...(event.question === 'clarification' ? {} : { asked: [...view.asked, toAsked(event)] }),
      }
    case 'question-close': {
      const index = view.asked.findIndex(({ token }) => token === event.token)
      const accepted = view.accepted || (index >= 0 && isAcceptance(event, view.asked[index]?.byDefault))
      const asked = index < 0 ? view.asked : view.asked.toSpliced(index, 1)
      return { ...view, status: 'thinking', accepted, asked }
    }
    case 'session-start':
    case 'session-end':
    case 'progress':
    case 'message':
    case 'text-delta':
    case 'text-end':
    case 'text-reset':
    case 'tool-call-delta':
    case 'sources':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return view
  }
}
