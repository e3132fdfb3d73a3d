import { writeFileSync } from 'node:fs'

/**
 * A vitest reporter that writes `{ passed, failed, skipped }` to the file that COUNTS_FILE names. A file or
 * a suite that fails outside its tests, and an error that no test caught, count as one failure each.
 */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter module's default export
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      counts.failed += module.errors().length > 0 ? 1 : 0
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length > 0 ? 1 : 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === 'pending' ? 'skipped' : state] += 1
      }
    }
    writeFileSync(process.env.COUNTS_FILE, JSON.stringify(counts))
  }
}
