/** All that the demo says in one language. Markdown where it is said, plain text elsewhere. */
export interface DemoWords {
  /** Words of a prompt that ask for a story, in lower case. */
  readonly tripWords: readonly string[]
  readonly fixWords: readonly string[]
  /** `{text}` is what was said. */
  readonly heard: string
  readonly again: string
  readonly trip: TripWords
  readonly fix: FixWords
  readonly long: {
    readonly plan: string
    readonly title: string
    readonly section: string
    readonly text: string
  }
}

/** `{place}`, `{hours}`, `{stay}`, `{walk}` and `{price}` are those of the place that was chosen. */
export interface TripWords {
  readonly plan: readonly [string, string, string, string]
  readonly thought: string
  readonly question: string
  readonly sea: PlaceWords
  readonly hills: PlaceWords
  readonly city: PlaceWords
  readonly scout: string
  readonly compared: string
  readonly answer: string
  readonly confirm: string
  readonly consequence: string
  readonly booked: string
  readonly kept: string
}

export interface PlaceWords {
  readonly label: string
  readonly place: string
  readonly stay: string
  readonly walk: string
}

/** `{rounding}` is the code that was chosen. */
export interface FixWords {
  readonly plan: readonly [string, string, string, string]
  readonly thought: string
  readonly found: string
  readonly question: string
  readonly atEnd: string
  readonly perLine: string
  readonly review: string
  readonly reviewed: string
  readonly fixed: string
  readonly confirm: string
  readonly consequence: string
  readonly pushed: string
  readonly kept: string
}
