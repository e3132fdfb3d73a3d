// Reads and writes frames in memory: the cost of a replay in another dialect without a log and sockets.

import { dialectById } from '@sluice/protocol/dialects'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { eventsFrom } from '../load/events.mjs'
import { createTranscodeWork } from '../transcode/work.mjs'

const count = 5000
const texts = eventsFrom('sess_bench1', 0, count)

answerParent({
  /** Entries per second of processor time from AAEP to `dialect`. */
  measure({ dialect, durationMs }) {
    const { subject } = createTranscodeWork(dialectById('aaep'), dialectById(dialect), texts)
    subject()
    const before = usageHandlers.usage()
    let rounds = 0
    let spentMs = 0
    while (spentMs < durationMs) {
      subject()
      rounds += 1
      spentMs = usageHandlers.usage().cpuMs - before.cpuMs
    }
    return { perCpuSecond: (rounds * count * 1000) / spentMs }
  },
})
