import type { Check, Judgement, Level } from './check.ts'

/** A check with what came of it. */
export interface Result {
  readonly id: string
  readonly level: Level
  readonly section: string
  readonly sentence: string
  readonly judgement: Judgement
}

/** Judges what was recorded by every check up to `level`, or by those that are named. */
export function judgeAll<Recorded>(
  checks: readonly Check<Recorded>[],
  recorded: Recorded,
  level: Level,
  only: readonly string[] = [],
): readonly Result[] {
  return checks
    .filter((check) => check.level <= level && (only.length === 0 || only.includes(check.id)))
    .map((check) => {
      const { id, section, sentence } = check
      return { id, level: check.level, section, sentence, judgement: weigh(check, check.judge(recorded)) }
    })
}

function weigh({ isAdvice }: { readonly isAdvice?: true }, judgement: Judgement): Judgement {
  return isAdvice === true && judgement.verdict === 'failed'
    ? { ...judgement, verdict: 'warning' }
    : judgement
}

/** How many results have each verdict. */
export function countVerdicts(results: readonly Result[]): Readonly<Record<Judgement['verdict'], number>> {
  const counts = { passed: 0, failed: 0, warning: 0, 'not run': 0 }
  for (const { judgement } of results) counts[judgement.verdict] += 1
  return counts
}
