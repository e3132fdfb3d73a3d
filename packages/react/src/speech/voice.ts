/** One text to speak. */
export interface Speech {
  readonly text: string
  /** BCP 47. */
  readonly language: string
  /** Words a minute; the voice's own without it. */
  readonly rateWpm?: number | undefined
}

/** `failed`: the voice cannot speak, and will not the next time. */
export type SpeechOutcome = 'spoken' | 'stopped' | 'failed'

/** Speaks one text at a time. */
export interface Voice {
  /** Resolves when the text was spoken, or broken off. Never rejects. */
  speak(speech: Speech): Promise<SpeechOutcome>
  /** Breaks off what is being spoken; false when nothing is. */
  stop(): boolean
}
