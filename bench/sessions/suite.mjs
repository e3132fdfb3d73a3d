import { measureRuns } from '../harness/runs.mjs'
import { measureServer } from './measure.mjs'
import { formatRows } from './rows.mjs'

const names = ['floor, file', 'sluice', 'floor, same log', 'durable-streams, memory']

/** The cost of an event, and the memory, of many sessions with one producer and one reader each. */
export const sessionsSuite = {
  name: 'sessions',
  summary: '200 and 500 sessions of one reader, 10 events a second each, against a bare loop and the peer',
  async run({ runs, isQuick }) {
    const seconds = isQuick ? 4 : 8
    const measure = (name) => measureServer(name, seconds)
    return formatRows(await measureRuns({ suite: 'sessions', runs, names, measure }), seconds)
  },
}
