import { SluiceError } from '@sluice/protocol'

/** How an agent can break the order of a session. The sentences are for the developer of the agent. */
const sentences = {
  chunk_after_complete: 'This output was ended; further text needs an output of its own.',
  other_channel: 'An output is either an answer or reasoning, from its beginning to its end.',
  call_repeated: 'The id of a tool call is unique in its session.',
  result_without_call: 'A tool call completes once.',
  unconfirmed: 'What cannot be undone needs a confirmation that somebody accepted: ask with confirm() first.',
  unsafe_default: 'What cannot be undone is rejected by default, unless its risk is low.',
  asked_twice: 'The same confirmation is open already; wait for its answer.',
  question_open: 'A question is open; the session waits for its answer.',
  call_left_open: 'A tool call has not completed; the session cannot complete before it.',
} as const

export type MisuseRule = keyof typeof sentences

/**
 * The error of a call that would break the order of the session; the rule is in its details. Nothing was
 * sent.
 */
export function misuse(rule: MisuseRule): SluiceError {
  return new SluiceError('events_refused', { message: sentences[rule], details: { rule } })
}

/** The error of a call with a value that no event can carry. */
export function badValue(message: string): SluiceError {
  return new SluiceError('bad_request', { message })
}
