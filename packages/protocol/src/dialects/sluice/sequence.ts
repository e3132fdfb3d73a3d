import type { SluiceEvent } from '../../events.ts'
import { breach, type Finding, type Rule } from '../../finding.ts'
import type { SessionState } from '../../session-state.ts'
import { isSettled } from '../../settle.ts'
import { tableGet } from '../../table.ts'

export const sluiceRules = {
  newerVersion: {
    code: 'newer_version',
    source: 'protocol.md, Versions',
    verdict: 'refused',
    sentence: 'The entry is of a newer version than this reader knows.',
  },
  seqGap: {
    code: 'seq_gap',
    source: 'protocol.md, The entry',
    verdict: 'finding',
    sentence: 'The entries of a session are numbered 0, 1, 2 without gaps.',
  },
  timeDecreases: {
    code: 'time_decreases',
    source: 'protocol.md, The entry',
    verdict: 'finding',
    sentence: 'An entry is not older than the entry before it.',
  },
  falselyClean: {
    code: 'falsely_clean',
    source: 'protocol.md, The entry',
    verdict: 'finding',
    sentence: 'A clean entry has no findings.',
  },
  tokenReused: {
    code: 'token_reused',
    source: 'protocol.md, question-open',
    verdict: 'finding',
    sentence: 'The session has a question of this token already; the event changes nothing.',
  },
  unsettled: {
    code: 'unsettled_events',
    source: 'protocol.md, What always holds',
    verdict: 'finding',
    sentence: 'The events are not in the order that always holds; Sluice has put them right.',
  },
} as const satisfies Record<string, Rule>

/** The expected seq and the last time in a stream of entries. */
export interface SluiceSequence {
  readonly next: number
  readonly at: number
}

export interface EntryHead {
  readonly seq: number
  readonly at: number
  readonly clean: boolean
  readonly diagnostics: readonly unknown[]
}

const noFindings: readonly Finding[] = []

/** Finds published questions that the session already has. */
export function checkTokens(session: SessionState, events: readonly SluiceEvent[]): readonly Finding[] {
  return events.flatMap((event, index) =>
    event.kind === 'question-open' && tableGet(session.questions, event.token) !== undefined
      ? [breach(sluiceRules.tokenReused, `/events/${index}/token`)]
      : [],
  )
}

/** Checks `head` against the entries before it. A stream may begin anywhere. */
export function checkHead(state: SluiceSequence, head: EntryHead): readonly Finding[] {
  const isUsual = head.seq === state.next && head.at >= state.at && head.diagnostics.length === 0
  if (isUsual) return noFindings
  const findings: Finding[] = []
  if (state.next >= 0 && head.seq !== state.next)
    findings.push(breach(sluiceRules.seqGap, '/seq', `expected ${state.next}`))
  if (head.at < state.at) findings.push(breach(sluiceRules.timeDecreases, '/at'))
  if (head.clean && head.diagnostics.length > 0) findings.push(breach(sluiceRules.falselyClean, '/clean'))
  return findings
}

/** Finds events that are not in the session's order. */
export function checkSettled(session: SessionState, events: readonly SluiceEvent[]): readonly Finding[] {
  return isSettled(session, events) ? noFindings : [breach(sluiceRules.unsettled, '/events')]
}
