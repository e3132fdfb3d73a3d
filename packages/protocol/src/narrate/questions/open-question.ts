import type { Clarification, Confirmation } from '../aaep-event.ts'

export type Answer = string | number | boolean

/** The ways in which a question can be answered. */
export interface AnswerWays {
  readonly yes?: Answer
  readonly no?: Answer
  /** Spoken with numbers from 1. */
  readonly choices: readonly { readonly label: string; readonly answer: Answer }[]
  /** What else may be typed, if anything. */
  readonly typed?: 'text' | 'number'
  /** A number is an answer, even if a text is one too. */
  readonly isNumeric: boolean
}

/** A question that waits for an answer. */
export interface OpenQuestion extends AnswerWays {
  readonly event: Confirmation | Clarification
  /** The agent's own token, if AAEP has another one. */
  readonly token: string
  /** Absent if nobody set a time. */
  readonly deadlineMs?: number
}

/** The timeout that means no timeout at all in AAEP. */
const noTimeoutSeconds = 86_400

export function toOpenQuestion(event: Confirmation | Clarification): OpenQuestion {
  const token = event.extensions?.['sluice']?.['token']
  const openedMs = Date.parse(event.timestamp)
  const hasDeadline = event.timeout_seconds < noTimeoutSeconds && Number.isFinite(openedMs)
  return {
    event,
    token: typeof token === 'string' ? token : event.reply_token,
    ...(hasDeadline ? { deadlineMs: openedMs + event.timeout_seconds * 1000 } : {}),
    ...(event.type === 'aaep:agent.awaiting.confirmation' ? decisionsOf(event) : responsesOf(event)),
  }
}

function decisionsOf({ allowed_replies: allowed = ['accept', 'reject'] }: Confirmation): AnswerWays {
  const others = allowed.filter((reply) => reply !== 'accept' && reply !== 'reject')
  return {
    ...(allowed.includes('accept') ? { yes: 'accept' } : {}),
    ...(allowed.includes('reject') ? { no: 'reject' } : {}),
    choices: others.map((reply) => ({ label: reply, answer: reply })),
    isNumeric: false,
  }
}

function responsesOf({ accepted_response_kinds, choices = [] }: Clarification): AnswerWays {
  const kinds = accepted_response_kinds ?? [choices.length > 0 ? 'multiple_choice' : 'freetext']
  return {
    ...(kinds.includes('yes_no') ? { yes: true, no: false } : {}),
    choices: kinds.includes('multiple_choice')
      ? choices.map(({ label, value }) => ({ label, answer: value }))
      : [],
    ...(kinds.includes('freetext')
      ? { typed: 'text' }
      : kinds.includes('numeric')
        ? { typed: 'number' }
        : {}),
    isNumeric: accepted_response_kinds?.includes('numeric') === true,
  }
}
