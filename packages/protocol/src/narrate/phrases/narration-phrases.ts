/** One sentence in each form that `Intl.PluralRules` distinguishes; `{n}` is the number. */
export interface PluralPhrase {
  readonly zero?: string
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly other: string
}

/** A narrator's own words in one language. Words in braces are placeholders, the same in every language. */
export interface NarrationPhrases {
  /** BCP 47. */
  readonly language: string
  /** Whether a speaker of the language has read it. */
  readonly reviewed: boolean
  /** Separates the parts of a sentence, and ends it. */
  readonly comma: string
  readonly stop: string

  readonly heading: string
  readonly bullet: string
  readonly bulletAt: string
  readonly taskDone: string
  readonly taskOpen: string
  readonly quote: string
  readonly link: string
  readonly image: string
  readonly imageAlone: string
  readonly table: PluralPhrase
  readonly cell: string
  readonly codeBlock: string
  readonly lines: PluralPhrase
  readonly unfinished: string
  readonly blankLine: string
  readonly endOfCode: string

  readonly request: string
  readonly error: string
  readonly warning: string
  readonly file: string
  readonly sources: PluralPhrase
  readonly cannotUndo: string
  /** These three are used inside a sentence. */
  readonly percent: string
  readonly step: string
  readonly stepOf: string
  readonly toolFailed: string
  readonly toolTimeout: string
  readonly completed: string
  readonly errored: string
  readonly cancelled: string
  readonly states: Readonly<Record<KnownState, string>>
  readonly otherState: string
  readonly handoff: Readonly<Record<'human' | 'specialist_agent' | 'escalation_queue', string>>

  readonly question: string
  readonly nextQuestion: string
  readonly consequence: string
  readonly choice: string
  readonly byDefault: string
  readonly accept: string
  readonly reject: string
  readonly yes: string
  readonly no: string
  readonly secondsLeft: PluralPhrase
  readonly minutesLeft: PluralPhrase
  readonly hoursLeft: PluralPhrase
  readonly outcomes: Readonly<Record<'accepted' | 'rejected' | 'answered' | 'timeout' | 'withdrawn', string>>

  readonly toolUnderWay: string
  readonly openQuestions: PluralPhrase
  readonly behind: PluralPhrase
  readonly upToDate: string
  readonly ended: string
  readonly nothingToRepeat: string
}

export type KnownState =
  | 'idle'
  | 'thinking'
  | 'calling_tool'
  | 'writing_output'
  | 'awaiting_input'
  | 'deciding'
  | 'handing_off'
