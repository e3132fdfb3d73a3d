import type { Evidence, Report, Result } from '@sluice/conformance'
import { toSafeLine } from './safe-text.ts'

/** How many places of one breach are shown; `--json` has them all. */
const maxShown = 5

/** The report for a person: by level, without colour, with the counts at its end. */
export function formatConformance({ subject, checks, counts }: Report): string {
  const levels = ([1, 2, 3] as const).filter((level) => checks.some((result) => result.level === level))
  const parts = levels.map((level) => {
    const lines = checks.filter((result) => result.level === level).flatMap(formatResult)
    return `Level ${level}\n${lines.join('\n')}\n`
  })
  const summary = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  return `${[`AAEP conformance of ${toSafeLine(subject)}\n`, ...parts].join('\n')}\n${summary.join(', ')}\n`
}

function formatResult(result: Result): readonly string[] {
  const { verdict, id, section, sentence } = result
  const head = `  ${verdict.padEnd(8)} ${id.padEnd(13)} ${sentence} (${section})`
  if (result.verdict === 'not run') return [head, `           ${toSafeLine(result.why)}`]
  if (result.verdict === 'passed') return [head]
  const shown = result.evidence.slice(0, maxShown).map((evidence) => `           ${formatEvidence(evidence)}`)
  const more = result.evidence.length - shown.length
  return [head, ...shown, ...(more > 0 ? [`           and ${more} more`] : [])]
}

function formatEvidence({ where, event, pointer, detail }: Evidence): string {
  const place = [where, event, pointer].filter((part) => part !== undefined && part !== '').join(' ')
  // The peer chooses the names of fields.
  return toSafeLine(`${place}: ${detail}`)
}
