import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { formatTables } from './tables.mjs'

const runFile = fileURLToPath(new URL('./run.mjs', import.meta.url))

/** Check and decode per dialect, and every ordered pair of dialects, against JSON.parse and JSON.stringify. */
export const transcodeSuite = {
  name: 'transcode',
  summary: 'check, decode and encode, each pair of dialects, against JSON.parse and JSON.stringify',
  /** Returns the section of the suite, in Markdown. */
  async run({ runs: count }) {
    const runs = []
    for (let index = 1; index <= count; index++) {
      process.stderr.write(`transcode: run ${index} of ${count}\n`)
      const { stdout } = await promisify(execFile)(process.execPath, [runFile])
      runs.push(JSON.parse(stdout))
    }
    return formatTables(runs)
  },
}
