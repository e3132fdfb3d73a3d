import type { QuestionOpen } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableValues } from '../../table.ts'
import { toStateName } from './names.ts'
import { aaepRules } from './rules.ts'
import { coreContext, sluiceContext } from './wire/vocabulary.ts'

/** A call that the producer gave no id: it is known by its tool. */
export interface UnnamedCall {
  readonly call: string
  readonly tool: string
}

/** What the events of one producer have come to, beyond what the session knows. */
export interface AaepSequence {
  /** The timestamp of the last event. */
  readonly at?: string
  /** The next sequence number; `none` after an event without one. */
  readonly next?: number | 'none'
  readonly unnamed: readonly UnnamedCall[]
  /** A handoff was requested since the last change of state. */
  readonly handsOff?: true
  /** Open outputs that another contract named: their ids on the wire, and what they stand for. */
  readonly restored: readonly RestoredOutput[]
}

export interface RestoredOutput {
  readonly wire: string
  readonly output: string
  readonly take: number
}

/** Whether `later` is a time before `earlier`. Most producers write UTC in one precision, where text order is time order. */
export function isEarlier(later: string, earlier: string): boolean {
  if (later.length === earlier.length && later.endsWith('Z') && earlier.endsWith('Z')) return later < earlier
  return Date.parse(later) < Date.parse(earlier)
}

/**
 * The numbering after `number`. A stream may stop to number its events, as a relay does that writes some of them anew,
 * but not begin or resume.
 */
export function checkNumber(
  next: AaepSequence['next'],
  number: number | undefined,
  findings: Finding[],
): number | 'none' {
  if (number === undefined) return 'none'
  if (next === 'none') findings.push(breach(aaepRules.sequenceMixed, '/sequence_number'))
  else if (number !== (next ?? 0))
    findings.push(breach(aaepRules.sequenceGap, '/sequence_number', `expected ${next ?? 0}`))
  return number + 1
}

const forbiddenNames: ReadonlySet<string> = new Set(['@id', '@graph', '@base', '@vocab'])

/** Whether a field that no schema names may not stand at the top of an event. */
export function isForbidden(field: string): boolean {
  return forbiddenNames.has(field) || field.startsWith('aaep_')
}

/** Which prefixes a context declares cannot be read without fetching it, but one besides the core's is needed. */
export function declaresExtensions(context: JsonValue | undefined, extensions: JsonObject): boolean {
  const contexts = Array.isArray(context) ? context.filter((item) => item !== coreContext) : []
  const foreign = contexts.filter((item) => item !== sluiceContext)
  for (const prefix in extensions) if ((prefix === 'sluice' ? contexts : foreign).length === 0) return false
  return true
}

/** Whether a change of state may begin at `from`: the last state, or one that what happened so far implies. */
export function isInChain(from: string, session: StateEvidence): boolean {
  if (from === toStateName(session.status)) return true
  switch (from) {
    case 'calling_tool':
      return session.hasCalls
    case 'writing_output':
      return session.hasOutputs
    case 'awaiting_input':
      return session.hasQuestions
    case 'thinking':
      return session.hasCalls || session.hasQuestions
    default:
      return false
  }
}

/** What a session's state is read from (AAEP §4.2.1 allows implicit states). */
export interface StateEvidence {
  readonly status: string
  readonly hasCalls: boolean
  readonly hasOutputs: boolean
  readonly hasQuestions: boolean
}

export function evidenceOf(session: SessionState): StateEvidence {
  return {
    status: session.status,
    hasCalls: session.calls.size > 0,
    hasOutputs: session.outputs.size > 0,
    hasQuestions: session.questions.size > 0,
  }
}

/** How far the session's confirmations allow what cannot be undone. */
export interface Permission {
  readonly accepted: boolean
  /** The confirmations that are still open. */
  readonly asked: readonly Asked[]
}

interface Asked {
  readonly token: string
  /** What happens when nobody answers. */
  readonly byDefault?: string
}

export function toAsked({ token, default: byDefault }: QuestionOpen): Asked {
  return byDefault === undefined ? { token } : { token, byDefault }
}

export function permissionOf(session: SessionState): Permission {
  let accepted = false
  const asked: Asked[] = []
  for (const { opened, closed } of tableValues(session.questions)) {
    if (opened.question === 'clarification') continue
    if (closed === undefined) asked.push(toAsked(opened))
    else accepted ||= isAcceptance(closed, opened.default)
  }
  return { accepted, asked }
}

export function isAcceptance(
  closed: { readonly how: string; readonly decision?: string },
  byDefault: string | undefined,
): boolean {
  return (
    closed.decision === 'accept' ||
    (closed.how === 'timeout' && closed.decision === undefined && byDefault === 'accept')
  )
}

/**
 * Replies do not pass through every stream, so an open confirmation counts as accepted once the agent has left the
 * state in which it waits.
 */
export function mayAct(permission: Permission, status: string): boolean {
  return permission.accepted || (permission.asked.length > 0 && status !== 'awaiting_input')
}

/** What is left open when the session ends. */
export function checkEnd(session: SessionState, findings: Finding[]): void {
  for (const { status } of tableValues(session.calls))
    if (status === undefined) {
      findings.push(breach(aaepRules.callLeftOpen, ''))
      break
    }
  for (const { open } of tableValues(session.outputs))
    if (open) {
      findings.push(breach(aaepRules.outputLeftOpen, ''))
      break
    }
}
