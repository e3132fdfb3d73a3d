import type { QuestionOpen } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableGet } from '../../table.ts'
import { toStateName } from './names.ts'
import { aaepRules } from './rules.ts'
import { coreContext, sluiceContext } from './wire/vocabulary.ts'

/** A call to which the producer gave no id; its tool identifies it. */
export interface UnnamedCall {
  readonly call: string
  readonly tool: string
}

/** What the events of one producer add up to, beyond what the session knows. */
export interface AaepSequence {
  /** The timestamp of the last event. */
  readonly at?: string
  /** The next sequence number; `none` after an event without one. */
  readonly next?: number | 'none'
  readonly unnamed: readonly UnnamedCall[]
  /** A handoff was requested since the last change of state. */
  readonly handsOff?: true
  /** Open outputs with ids from another dialect: the id on the wire, and what it stands for. */
  readonly restored: readonly RestoredOutput[]
}

/** The stream and the session before a frame. */
export interface Before {
  readonly state: AaepSequence
  readonly session: SessionState
}

export interface RestoredOutput {
  readonly wire: string
  readonly output: string
  readonly take: number
}

/**
 * Whether `later` is a time before `earlier`. Most producers write UTC with one precision, where text order
 * is time order.
 */
export function isEarlier(later: string, earlier: string): boolean {
  if (later.length === earlier.length && later.endsWith('Z') && earlier.endsWith('Z')) return later < earlier
  return Date.parse(later) < Date.parse(earlier)
}

/**
 * The numbering after `number`. A stream may stop numbering its events, as a relay does that rewrites some of
 * them, but may neither start nor resume numbering later.
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

/** Whether a field that no schema names is forbidden at the top level of an event. */
export function isForbidden(field: string): boolean {
  return forbiddenNames.has(field) || field.startsWith('aaep_')
}

/**
 * Which prefixes a context declares is unknown without fetching it, but a context besides the core's is
 * required.
 */
export function declaresExtensions(context: JsonValue | undefined, extensions: JsonObject): boolean {
  const contexts = Array.isArray(context) ? context.filter((item) => item !== coreContext) : []
  const foreign = contexts.filter((item) => item !== sluiceContext)
  for (const prefix in extensions) if ((prefix === 'sluice' ? contexts : foreign).length === 0) return false
  return true
}

/** Whether a change of state may start at `from`: the last state, or one that the events so far imply. */
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

/** The evidence for a session's state (AAEP §4.2.1 allows implicit states). */
export interface StateEvidence {
  readonly status: string
  readonly hasCalls: boolean
  readonly hasOutputs: boolean
  readonly hasQuestions: boolean
}

export function evidenceOf(session: SessionState): StateEvidence {
  return {
    status: session.status,
    hasCalls: session.calls.next > 0,
    hasOutputs: session.outputs.next > 0,
    hasQuestions: session.questions.next > 0,
  }
}

/** How far the session's confirmations permit an irreversible action. */
export interface Permission {
  readonly accepted: boolean
  /** The confirmations that are still open. */
  readonly asked: readonly Asked[]
}

interface Asked {
  readonly token: string
  /** The outcome if nobody answers. */
  readonly byDefault?: string
}

export function toAsked({ token, default: byDefault }: QuestionOpen): Asked {
  return byDefault === undefined ? { token } : { token, byDefault }
}

export function permissionOf({ history, open, questions }: SessionState): Permission {
  const asked: Asked[] = []
  for (const token of open.questions) {
    const opened = tableGet(questions, token)?.opened
    if (opened !== undefined && opened.question !== 'clarification') asked.push(toAsked(opened))
  }
  return { accepted: history.isConfirmed, asked }
}

/**
 * Not every stream contains the replies, so an open confirmation counts as accepted once the agent has left
 * the state in which it waits.
 */
export function mayAct(permission: Permission, status: string): boolean {
  return permission.accepted || (permission.asked.length > 0 && status !== 'awaiting_input')
}

/** Checks what the end of the session leaves open. */
export function checkEnd({ open }: SessionState, findings: Finding[]): void {
  if (open.calls.length > 0) findings.push(breach(aaepRules.callLeftOpen, ''))
  if (open.outputs.length > 0) findings.push(breach(aaepRules.outputLeftOpen, ''))
}
