import type { NarrationPhrases, PluralPhrase } from '@sluice/protocol/narrate'

/** What `sluice listen` says of its keys, in one language. Words in braces are filled in and stand in every language. */
export interface KeyPhrases {
  /** BCP 47. */
  readonly language: string
  /** Whether somebody who speaks the language has read it. */
  readonly reviewed: boolean

  readonly pressAcceptReject: string
  readonly pressYesNo: string
  readonly pressNumber: string
  readonly pressToType: string
  readonly pressToTypeNumber: string
  readonly typeNow: string
  readonly sent: string
  readonly sentAlready: string
  readonly notSent: string
  readonly notCounted: string
  readonly nothingSent: string
  readonly closedMeanwhile: string
  readonly notAnAnswer: string
  readonly noQuestion: string

  readonly skipped: PluralPhrase
  readonly noCode: string
  readonly paused: string
  readonly resumed: string
  readonly pressToQuit: string
  readonly pressForKeys: string
  readonly keys: readonly string[]
}

/** All that `sluice listen` says itself, in one language. */
export interface ListenPhrases extends NarrationPhrases, KeyPhrases {}
