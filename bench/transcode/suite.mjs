import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { formatTables } from './tables.mjs'

const runFile = fileURLToPath(new URL('./run.mjs', import.meta.url))
const runCount = 3

/** Check and decode per dialect, and every ordered pair of dialects, against JSON.parse and JSON.stringify. */
export const transcodeSuite = {
  name: 'transcode',
  summary: 'check, decode and encode, each pair of dialects, against JSON.parse and JSON.stringify',
  /** Returns the section of the suite, in Markdown. */
  async run() {
    const runs = []
    for (let index = 1; index <= runCount; index++) {
      process.stderr.write(`transcode: run ${index} of ${runCount}\n`)
      const { stdout } = await promisify(execFile)(process.execPath, [runFile])
      runs.push(JSON.parse(stdout))
    }
    return formatTables(runs)
  },
}
