import type { Check, Judgement, Level } from './check.ts'

/** A check without its judge: what a list or a report shows. */
export type CheckInfo = Omit<Check<never>, 'judge' | 'isAdvice'>

/** A check and its verdict, with the evidence or the reason why it did not run. */
export type Result = CheckInfo & Judgement

export type Counts = Readonly<Record<Judgement['verdict'], number>>

/** Everything that the suite found, as plain JSON. */
export interface Report {
  readonly subject: string
  readonly checks: readonly Result[]
  readonly counts: Counts
}

export interface Selection {
  /** The highest level to judge; 3 by default. */
  readonly level?: Level | undefined
  /** Ids of the checks to judge; all by default. */
  readonly only?: readonly string[] | undefined
}

export interface ReportParts<Recorded> {
  readonly subject: string
  readonly recorded: Recorded
  readonly checks: readonly Check<Recorded>[]
  readonly selection: Selection
}

/** Judges a recording with the selected checks. */
export function createReport<Recorded>({
  subject,
  recorded,
  checks,
  selection: { level = 3, only = [] },
}: ReportParts<Recorded>): Report {
  const results = checks
    .filter((check) => check.level <= level && (only.length === 0 || only.includes(check.id)))
    .map((check) => judge(check, recorded))
  return { subject, checks: results, counts: countVerdicts(results) }
}

function judge<Recorded>(check: Check<Recorded>, recorded: Recorded): Result {
  const { id, level, section, sentence, isAdvice } = check
  const judgement = check.judge(recorded)
  const info = { id, level, section, sentence }
  return isAdvice === true && judgement.verdict === 'failed'
    ? { ...info, ...judgement, verdict: 'warning' }
    : { ...info, ...judgement }
}

function countVerdicts(results: readonly Result[]): Counts {
  const counts = { passed: 0, failed: 0, warning: 0, 'not run': 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}
