import type { AaepFrame } from '../dialects/index.ts'
import { type AaepEvent, carriedEvent, isCoreEvent } from './aaep-event.ts'
import { fill, fillPlural } from './phrases/fill.ts'
import type { KnownState, NarrationPhrases } from './phrases/narration-phrases.ts'
import { toSentence } from './questions/tell-question.ts'
import { toSpokenLine } from './spoken-text.ts'

export type Verbosity = 'terse' | 'normal' | 'detailed'

/** The sentences for an event that is neither text nor a question; none if it is not worth saying. */
export function narrateEvent(
  event: AaepFrame,
  phrases: NarrationPhrases,
  verbosity: Verbosity,
): readonly string[] {
  if (!isCoreEvent(event)) return narrateExtension(event, phrases, verbosity)
  const summary = summaryOf(event, verbosity)
  const is = (level: Verbosity): boolean => verbosity === level
  const sentence = (text: string | undefined): string => toSentence(text ?? '', phrases)
  switch (event.type) {
    case 'aaep:agent.session.started':
      return [
        sentence(summary),
        ...(is('terse') || !event.request_text
          ? []
          : [fill(phrases.request, { text: sentence(event.request_text) })]),
      ]
    case 'aaep:agent.session.completed':
      return [
        sentence(summary) || phrases.completed,
        ...(is('detailed') ? [sentence(event.output_summary)] : []),
      ]
    case 'aaep:agent.session.errored':
      return [
        fill(phrases.error, { text: sentence(summary) || phrases.errored }),
        sentence(event.remediation_hint),
      ]
    case 'aaep:agent.session.cancelled':
      return [sentence(summary) || phrases.cancelled]
    case 'aaep:agent.state.changed':
      return [sentence(summary) || (is('terse') ? '' : tellState(event.to_state, phrases))]
    case 'aaep:agent.progress.updated':
      return [sentence(summary) || tellProgress(event, phrases)]
    case 'aaep:agent.tool.invoked':
      return [
        sentence(summary),
        ...(is('detailed') ? [sentence(event.args_summary)] : []),
        ...(event.irreversible === true ? [phrases.cannotUndo] : []),
      ]
    case 'aaep:agent.tool.completed':
      return [
        sentence(summary) || tellResult(event, phrases),
        ...(is('terse') ? [] : [sentence(event.error_message)]),
      ]
    case 'aaep:agent.handoff.requested':
      return [sentence(summary) || fill(phrases.handoff[event.target_kind], { text: sentence(event.reason) })]
    case 'aaep:agent.output.streaming':
    case 'aaep:agent.awaiting.confirmation':
    case 'aaep:agent.awaiting.clarification':
      return []
  }
}

/** The summary of the wanted length, or the next best. */
export function summaryOf(event: AaepFrame, verbosity: Verbosity): string | undefined {
  const told = event as Readonly<Record<string, unknown>> // any field of an event, its type checked below
  const order: Readonly<Record<Verbosity, readonly Verbosity[]>> = {
    terse: ['terse', 'normal', 'detailed'],
    normal: ['normal', 'terse', 'detailed'],
    detailed: ['detailed', 'normal', 'terse'],
  }
  for (const level of order[verbosity]) {
    const summary = told[`summary_${level}`]
    if (typeof summary === 'string' && summary.trim() !== '') return summary
  }
  return undefined
}

export function tellState(state: string, phrases: NarrationPhrases): string {
  if (Object.hasOwn(phrases.states, state)) return phrases.states[state as KnownState] // a key of the table
  return fill(phrases.otherState, { state: toSpokenLine(state).replaceAll('_', ' ') })
}

function tellProgress(event: AaepEvent<'aaep:agent.progress.updated'>, phrases: NarrationPhrases): string {
  const { percent, step, total_steps: total, description } = event.progress
  const place = [
    ...(percent === undefined ? [] : [fill(phrases.percent, { n: Math.round(percent) })]),
    ...(step === undefined
      ? []
      : [total === undefined ? fill(phrases.step, { n: step }) : fill(phrases.stepOf, { n: step, total })]),
  ].join(phrases.comma)
  return [toSentence(capitalize(place, phrases), phrases), toSentence(description ?? '', phrases)]
    .filter((part) => part !== '')
    .join(' ')
}

function capitalize(text: string, { language }: NarrationPhrases): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
}

function tellResult(event: AaepEvent<'aaep:agent.tool.completed'>, phrases: NarrationPhrases): string {
  if (event.status === 'success') return ''
  const tool = toSpokenLine(event.tool).replaceAll('_', ' ')
  return fill(event.status === 'timeout' ? phrases.toolTimeout : phrases.toolFailed, { tool })
}

/** Kinds without a core event come as `sluice:<kind>` and carry the event itself. */
function narrateExtension(
  event: AaepFrame,
  phrases: NarrationPhrases,
  verbosity: Verbosity,
): readonly string[] {
  const summary = summaryOf(event, verbosity)
  if (summary !== undefined) return [toSentence(summary, phrases)]
  const carried = carriedEvent(event)
  if (carried?.['kind'] === 'notice') return [tellNotice(carried, phrases)]
  if (carried?.['kind'] === 'part-add') return [tellPart(carried['part'], phrases)]
  if (carried?.['kind'] === 'sources' && Array.isArray(carried['items']))
    return [fillPlural(phrases.sources, carried['items'].length, phrases.language)]
  return []
}

function tellNotice({ level, text }: Readonly<Record<string, unknown>>, phrases: NarrationPhrases): string {
  if (typeof text !== 'string' || level === 'debug') return ''
  const told = toSentence(text, phrases)
  if (level === 'error') return fill(phrases.error, { text: told })
  return level === 'warning' ? fill(phrases.warning, { text: told }) : told
}

function tellPart(part: unknown, phrases: NarrationPhrases): string {
  const name = typeof part === 'object' && part !== null && 'name' in part ? part.name : undefined
  return typeof name === 'string' ? fill(phrases.file, { text: toSpokenLine(name) }) : ''
}
