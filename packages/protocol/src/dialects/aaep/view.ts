import type { AgentIdentity, SluiceEvent, TextChannel } from '../../events.ts'
import { countCodePoints } from '../../segment/code-points.ts'
import { hashHex } from '../../session-id.ts'
import type { SessionState } from '../../session-state.ts'
import { tableValues } from '../../table.ts'
import { toOutputId } from './names.ts'
import { isSameAgent, toProducer } from './producer.ts'
import { isAcceptance, type Permission, permissionOf, type StateEvidence, toAsked } from './sequence.ts'
import type { WireProducer } from './wire/envelope.ts'

/** A text that is not complete. */
export interface OpenOutput {
  readonly output: string
  readonly take: number
  readonly channel: TextChannel
  /** Code points so far. */
  readonly length: number
  /** The last units of the text: what its boundaries are judged by. */
  readonly tail: string
  /** Its id on the wire. */
  readonly id?: string
}

/** What an encoder has to know of the session so far. Everything can be read from a SessionState. */
export interface AaepView extends StateEvidence, Permission {
  readonly session: string
  readonly foreign?: string
  readonly context?: string
  /** Begins every event id that we mint for this session. */
  readonly mint: string
  /** Every entry so far went out as it came in. */
  readonly isCopy: boolean
  /** The latest time of an event so far, ms. */
  readonly at: number
  readonly agent?: AgentIdentity
  readonly producer: WireProducer
  readonly open: readonly OpenOutput[]
}

const tailUnits = 256

export function enterView(session: SessionState, dialect: string): AaepView {
  const { id, foreign, context, agent, uniform, status, eventAt } = session
  const permission = permissionOf(session)
  return {
    session: id,
    ...(foreign === undefined ? {} : { foreign }),
    ...(context === undefined ? {} : { context }),
    mint: `evt_${hashHex(id, 16)}`,
    isCopy: uniform === undefined || uniform === dialect,
    at: eventAt,
    status,
    ...(agent === undefined ? {} : { agent }),
    producer: toProducer(agent),
    hasCalls: session.calls.size > 0,
    hasOutputs: session.outputs.size > 0,
    hasQuestions: session.questions.size > 0,
    ...permission,
    open: tableValues(session.outputs)
      .filter((output) => output.open)
      .map(({ output, take, channel, length, text }) => ({
        ...opened(output, take, channel),
        length,
        tail: text.slice(-tailUnits),
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
  return { output, take, channel, length: 0, tail: '', ...(id === undefined ? {} : { id }) }
}

/** The output after `text`. */
export function extended(open: OpenOutput, text: string): OpenOutput {
  return { ...open, length: open.length + countCodePoints(text), tail: tailAfter(open, text) }
}

export function tailAfter(open: OpenOutput, text: string): string {
  return text.length >= tailUnits ? text.slice(-tailUnits) : (open.tail + text).slice(-tailUnits)
}

export function withOpen(view: AaepView, next: OpenOutput): AaepView {
  const { open } = view
  if (open.length === 1 && open[0]?.output === next.output) return { ...view, open: [next], hasOutputs: true }
  const others = open.filter(({ output }) => output !== next.output)
  return { ...view, open: [...others, next], hasOutputs: true }
}

export function withoutOpen(view: AaepView, output: string): AaepView {
  return { ...view, open: view.open.filter((open) => open.output !== output) }
}

/** The view once `agent` has spoken at `at`. */
export function withSpeaker(view: AaepView, agent: AgentIdentity | undefined, at: number): AaepView {
  if (agent === undefined || (view.agent !== undefined && isSameAgent(view.agent, agent)))
    return at > view.at ? { ...view, at } : view
  return { ...view, at: Math.max(at, view.at), agent, producer: toProducer(agent) }
}

/** The view after an event that is no text. Mirrors fold(). */
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
    default:
      return view
  }
}
