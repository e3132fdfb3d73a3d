/** The conformance levels of AAEP §9. */
export type Level = 1 | 2 | 3

/** Where a check found a breach. Names ids and places, never payload text. */
export interface Evidence {
  /** Which subscription of which run, such as `accept/main`. */
  readonly where: string
  /** The id of the event, if it has one. */
  readonly event?: string
  /** JSON pointer into that event or message. */
  readonly pointer?: string
  readonly detail: string
}

export type Judgement =
  | { readonly verdict: 'passed' }
  | { readonly verdict: 'failed' | 'warning'; readonly evidence: readonly Evidence[] }
  | { readonly verdict: 'not run'; readonly why: string }

/** One requirement, judged from a recording. */
export interface Check<Recorded> {
  /** Stable, such as `L1-ENV-003`. */
  readonly id: string
  readonly level: Level
  /** The section of the specification. */
  readonly section: string
  /** One sentence that says what must hold. */
  readonly sentence: string
  /** AAEP only recommends it: a breach is a warning. */
  readonly isAdvice?: true
  judge(recorded: Recorded): Judgement
}

const passed: Judgement = { verdict: 'passed' }

export function notRun(why: string): Judgement {
  return { verdict: 'not run', why }
}

/** Passes if `find` finds nothing; not run if there is nothing to judge. */
export function judgeEach<Item>(
  items: readonly Item[],
  find: (item: Item) => readonly Evidence[],
  whyNot: string,
): Judgement {
  if (items.length === 0) return notRun(whyNot)
  return judgeEvidence(items.flatMap((item) => find(item)))
}

export function judgeEvidence(evidence: readonly Evidence[]): Judgement {
  return evidence.length === 0 ? passed : { verdict: 'failed', evidence }
}
