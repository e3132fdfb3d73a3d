import type { AaepFrame } from '@sluice/protocol/dialects'
import type { Clarification, Confirmation } from './aaep-event.ts'
import type { Answer } from './questions/open-question.ts'

/** The events of one session, and the way back. */
export interface ListenSource extends AsyncIterable<AaepFrame> {
  reply(question: Confirmation | Clarification, answer: Answer): Promise<void>
}
