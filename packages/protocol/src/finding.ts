/** The consequence for a frame that breaks a rule. */
export type Verdict = 'refused' | 'finding'

/** One rule of a dialect, written once for checks, documentation and tests. */
export interface Rule {
  /** Stable and machine-readable, snake_case. */
  readonly code: string
  /** The origin of the rule, such as `AAEP §4.3.3`. */
  readonly source: string
  readonly verdict: Verdict
  /** One sentence that a person understands. Never quotes the input. */
  readonly sentence: string
}

/** A rule broken at one place in a frame. Contains no text of the input. */
export interface Finding {
  readonly code: string
  /** JSON pointer into the frame; empty for the frame as a whole. */
  readonly path: string
  readonly message: string
  readonly rule: string
}

/** Reports that `rule` is broken at `path`; `detail` may name bounds and expected values, never the input. */
export function breach(rule: Rule, path: string, detail?: string): Finding {
  return {
    code: rule.code,
    path,
    message: detail === undefined ? rule.sentence : `${rule.sentence} (${detail})`,
    rule: rule.source,
  }
}
