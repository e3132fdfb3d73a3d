import { toSafeLine } from '../safe-text.ts'
import type { Evidence } from './check.ts'
import { countVerdicts, type Result } from './judge.ts'

/** How many places of one breach are shown; `--json` has them all. */
const maxShown = 5

/** The report for a person: by level, without colour, with the counts at its end. */
export function formatReport(subject: string, results: readonly Result[]): string {
  const levels = ([1, 2, 3] as const).filter((level) => results.some((result) => result.level === level))
  const parts = levels.map((level) => {
    const lines = results.filter((result) => result.level === level).flatMap(formatResult)
    return `Level ${level}\n${lines.join('\n')}\n`
  })
  const counts = countVerdicts(results)
  const summary = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  return `${[`AAEP conformance of ${toSafeLine(subject)}\n`, ...parts].join('\n')}\n${summary.join(', ')}\n`
}

/** The report for a program: one JSON object. */
export function formatJsonReport(subject: string, results: readonly Result[]): string {
  const checks = results.map(({ judgement, ...check }) => ({ ...check, ...judgement }))
  return `${JSON.stringify({ subject, checks, counts: countVerdicts(results) }, undefined, 2)}\n`
}

function formatResult({ id, section, sentence, judgement }: Result): readonly string[] {
  const head = `  ${judgement.verdict.padEnd(8)} ${id.padEnd(13)} ${sentence} (${section})`
  if (judgement.verdict === 'not run') return [head, `           ${toSafeLine(judgement.why)}`]
  if (judgement.verdict === 'passed') return [head]
  const shown = judgement.evidence
    .slice(0, maxShown)
    .map((evidence) => `           ${formatEvidence(evidence)}`)
  const more = judgement.evidence.length - shown.length
  return [head, ...shown, ...(more > 0 ? [`           and ${more} more`] : [])]
}

function formatEvidence({ where, event, pointer, detail }: Evidence): string {
  const place = [where, event, pointer].filter((part) => part !== undefined && part !== '').join(' ')
  // Names of fields are of the peer's choice.
  return toSafeLine(`${place}: ${detail}`)
}
