import type { QuestionOpen } from '../../events.ts'
import { breach, type Finding, type Rule } from '../../finding.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableValues } from '../../table.ts'
import { toStateName } from './names.ts'
import { coreContext, sluiceContext } from './wire/vocabulary.ts'

export const aaepRules = {
  unsafeDefault: {
    code: 'unsafe_default',
    source: 'AAEP §6, §4.4.1',
    verdict: 'refused',
    sentence: 'What cannot be undone is rejected by default, unless its risk is low.',
  },
  notStarted: {
    code: 'not_started',
    source: 'AAEP §4.1.1, §4.5',
    verdict: 'finding',
    sentence: 'The first event of a session is agent.session.started.',
  },
  startedTwice: {
    code: 'started_twice',
    source: 'AAEP §4.1.1',
    verdict: 'finding',
    sentence: 'A session starts once.',
  },
  urgencyNotCritical: {
    code: 'urgency_not_critical',
    source: 'AAEP §3, §4',
    verdict: 'finding',
    sentence: 'The urgency of this event is critical.',
  },
  timestampPrecision: {
    code: 'timestamp_precision',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'A timestamp has no fraction of a second, or one of three or six digits.',
  },
  timestampDecreases: {
    code: 'timestamp_decreases',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'An event is not older than the event before it.',
  },
  sequenceGap: {
    code: 'sequence_gap',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'Sequence numbers count every event of a session from 0.',
  },
  sequenceMixed: {
    code: 'sequence_mixed',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence: 'Either all events of a session are numbered or none.',
  },
  forbiddenField: {
    code: 'forbidden_field',
    source: 'AAEP §3',
    verdict: 'finding',
    sentence:
      'An event has none of @id, @graph, @base and @vocab, and no aaep_ field that the contract does not define.',
  },
  undeclaredExtension: {
    code: 'undeclared_extension',
    source: 'AAEP §3, §7',
    verdict: 'finding',
    sentence: 'The prefix of an extension is declared in @context.',
  },
  stateChain: {
    code: 'state_chain',
    source: 'AAEP §4.2.1',
    verdict: 'finding',
    sentence:
      'A change of state begins where the last one ended, or at the state that the events since imply.',
  },
  callRepeated: {
    code: 'call_repeated',
    source: 'AAEP §4.3.1',
    verdict: 'finding',
    sentence: 'The id of a tool call is unique in its session.',
  },
  resultWithoutCall: {
    code: 'result_without_call',
    source: 'AAEP §4.3.2',
    verdict: 'finding',
    sentence: 'A tool completes once, after it was invoked.',
  },
  otherTool: {
    code: 'other_tool',
    source: 'AAEP §4.3.2',
    verdict: 'finding',
    sentence: 'A tool completes under the name under which it was invoked.',
  },
  callLeftOpen: {
    code: 'call_left_open',
    source: 'AAEP §4.5, Appendix A',
    verdict: 'finding',
    sentence: 'Every tool that was invoked completes before the session ends.',
  },
  unconfirmed: {
    code: 'unconfirmed',
    source: 'AAEP §4.3.1, §6',
    verdict: 'finding',
    sentence: 'What cannot be undone is done only after a confirmation was accepted.',
  },
  chunkAfterComplete: {
    code: 'chunk_after_complete',
    source: 'AAEP §4.3.3',
    verdict: 'finding',
    sentence: 'Nothing follows the last chunk of an output.',
  },
  wrongPosition: {
    code: 'wrong_position',
    source: 'AAEP §4.3.3',
    verdict: 'finding',
    sentence: 'The position counts the code points of the output before this chunk.',
  },
  outputLeftOpen: {
    code: 'output_left_open',
    source: 'AAEP §4.3.3, §4.5',
    verdict: 'finding',
    sentence: 'Every output is completed before the session ends.',
  },
  tokenReused: {
    code: 'token_reused',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply token is used for one question only.',
  },
  choicesMissing: {
    code: 'choices_missing',
    source: 'AAEP §4.4.2',
    verdict: 'finding',
    sentence: 'A question with multiple choice names its choices.',
  },
  unknownToken: {
    code: 'unknown_token',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply answers a question of its kind that is open.',
  },
  replyNotAllowed: {
    code: 'reply_not_allowed',
    source: 'AAEP §6',
    verdict: 'finding',
    sentence: 'A reply is one of those that its question accepts.',
  },
} as const satisfies Record<string, Rule>

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
