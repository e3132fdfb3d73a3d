/** One text to speak. */
export interface Speech {
  readonly text: string
  /** BCP 47. */
  readonly language: string
  /** Words per minute; by default the voice's own rate. */
  readonly rateWpm?: number | undefined
}

/** `failed`: the voice cannot speak, now or later. */
export type SpeechOutcome = 'spoken' | 'stopped' | 'failed'

/** Speaks one text at a time. */
export interface Voice {
  /** Resolves when the text was spoken or stopped. Never rejects. */
  speak(speech: Speech): Promise<SpeechOutcome>
  /** Stops speaking; false when nothing is being spoken. */
  stop(): boolean
}
