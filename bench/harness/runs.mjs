/**
 * Measures each of `names` in `runs` runs, back and forth, so that none always comes first. `measure` returns
 * figures by row; the result holds, by row and name, the figures of all runs in order.
 */
export async function measureRuns({ suite, runs, names, measure }) {
  const found = new Map()
  for (let run = 0; run < runs; run++) {
    for (const name of run % 2 === 0 ? names : names.toReversed()) {
      process.stderr.write(`${suite}: run ${run + 1} of ${runs}, ${name}\n`)
      for (const [row, figures] of Object.entries(await measure(name, run))) {
        const byName = found.get(row) ?? new Map()
        found.set(row, byName)
        byName.set(name, [...(byName.get(name) ?? []), figures])
      }
    }
  }
  return found
}

/** The ratio of a figure of `name` to that of `other`, run by run; undefined if either was not measured. */
export function ratiosOf(byName, figure, name, other) {
  const ours = byName.get(name)
  const theirs = byName.get(other)
  if (ours === undefined || theirs === undefined) return undefined
  return ours.map((figures, run) => figures[figure] / theirs[run][figure])
}

/** One figure of `name` in all runs. */
export function valuesOf(byName, figure, name) {
  return byName.get(name).map((figures) => figures[figure])
}
