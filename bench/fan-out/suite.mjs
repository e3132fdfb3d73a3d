import { measureRuns } from '../harness/runs.mjs'
import { measureServer } from './measure.mjs'
import { formatRows } from './rows.mjs'

const names = ['floor, same log', 'sluice', 'floor, file', 'durable-streams, memory', 'durable-streams, file']

/** Deliveries per processor second of the server, to 200 and 1000 readers, one by one and in batches. */
export const fanOutSuite = {
  name: 'fan-out',
  summary: 'one session to many SSE readers, against a bare loop and @durable-streams/server',
  async run({ runs, isQuick }) {
    const share = isQuick ? 0.2 : 1
    const measure = (name) => measureServer(name, share)
    return formatRows(await measureRuns({ suite: 'fan-out', runs, names, measure }))
  },
}
