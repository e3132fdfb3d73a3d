import type { AaepFrame } from '../dialects/index.ts'
import { isCoreEvent } from './aaep-event.ts'
import { tellState } from './narrate-event.ts'
import { fill, fillPlural } from './phrases/fill.ts'
import type { NarrationPhrases } from './phrases/narration-phrases.ts'
import { toSentence } from './questions/tell-question.ts'
import { toSpokenLine } from './spoken-text.ts'

/** The current state of a session. */
export interface SessionPlace {
  readonly agent?: string
  readonly state?: string
  /** The running tools, oldest first. */
  readonly tools: readonly { readonly call: string; readonly tool: string }[]
  readonly hasEnded: boolean
}

export const startingPlace: SessionPlace = { tools: [], hasEnded: false }

/** If more calls run at once, the oldest are dropped. */
const maxTools = 32

export function updatePlace(before: SessionPlace, event: AaepFrame): SessionPlace {
  const place = { ...before, agent: event.producer.agent_name ?? event.producer.agent_id }
  if (!isCoreEvent(event)) return place
  switch (event.type) {
    case 'aaep:agent.state.changed':
      return { ...place, state: event.to_state }
    case 'aaep:agent.output.streaming':
      return { ...place, state: 'writing_output' }
    case 'aaep:agent.awaiting.confirmation':
    case 'aaep:agent.awaiting.clarification':
      return { ...place, state: 'awaiting_input' }
    case 'aaep:agent.tool.invoked': {
      const started = { call: event.tool_call_id ?? event.tool, tool: event.tool }
      return { ...place, state: 'calling_tool', tools: [...place.tools, started].slice(-maxTools) }
    }
    case 'aaep:agent.tool.completed': {
      const call = event.tool_call_id ?? event.tool
      const at = place.tools.findIndex((tool) => tool.call === call)
      return at < 0 ? place : { ...place, tools: place.tools.toSpliced(at, 1) }
    }
    case 'aaep:agent.session.completed':
    case 'aaep:agent.session.errored':
    case 'aaep:agent.session.cancelled':
      return { ...place, tools: [], hasEnded: true }
    case 'aaep:agent.session.started':
    case 'aaep:agent.progress.updated':
    case 'aaep:agent.handoff.requested':
      return place
  }
}

/** What waits: open questions and, if known, lines that have not been spoken. */
export interface PlaceWaits {
  readonly questions: number
  readonly lines?: number
}

/** Such as `Trip planner. Using a tool. Tool under way: search trains. 1 open question. 3 lines behind.` */
export function tellPlace(place: SessionPlace, waits: PlaceWaits, phrases: NarrationPhrases): string {
  const { language } = phrases
  return [
    ...(place.agent === undefined ? [] : [toSentence(place.agent, phrases)]),
    ...(place.hasEnded
      ? [phrases.ended]
      : place.state === undefined
        ? []
        : [tellState(place.state, phrases)]),
    ...place.tools.map(({ tool }) =>
      fill(phrases.toolUnderWay, { tool: toSpokenLine(tool).replaceAll('_', ' ') }),
    ),
    ...(waits.questions === 0 ? [] : [fillPlural(phrases.openQuestions, waits.questions, language)]),
    ...(waits.lines === undefined ? [] : [tellBehind(waits.lines, phrases)]),
  ].join(' ')
}

function tellBehind(lines: number, phrases: NarrationPhrases): string {
  return lines === 0 ? phrases.upToDate : fillPlural(phrases.behind, lines, phrases.language)
}
