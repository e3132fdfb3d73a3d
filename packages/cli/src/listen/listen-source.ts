import type { AaepReceipt } from '@sluice/client'
import type { AaepFrame } from '@sluice/protocol/dialects'
import type { Answer, Clarification, Confirmation } from '@sluice/protocol/narrate'

/** The events of one session, and the way back. */
export interface ListenSource extends AsyncIterable<AaepFrame> {
  /** `counted` is false when the question was no longer open. */
  reply(question: Confirmation | Clarification, answer: Answer): Promise<AaepReceipt>
}
