// Fills a log with many sessions of one entry each, and with what a gateway keeps of a session.

import { encodeRecord, openLmdbLog } from '@sluice/log'
import { admit, createIntake, createSessionState, parseFrame } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { answerParent } from '../harness/answer-parent.mjs'
import { eventAt } from '../load/events.mjs'

const atOnce = 1000

async function append(log, session, at) {
  const intake = createIntake(createSessionState({ id: session }))
  const { frame } = parseFrame(eventAt(session, 0))
  const { entry, intake: after } = admit(intake, frame, { dialect: dialectById('aaep'), at })
  const info = {
    labels: {},
    attributes: {},
    status: after.session.status,
    questions: 0,
    dialect: 'aaep',
    title: after.session.request,
  }
  const lease = await log.openWriter(session)
  await log.append({ lease, firstSeq: 0, records: [encodeRecord(entry)], at, info })
}

async function fillLog(log, prefix, sessions) {
  for (let first = 0; first < sessions; first += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, sessions - first) }, (_, index) =>
        append(log, `sess_${prefix}${first + index}`, Date.now()),
      ),
    )
}

answerParent({
  async fill({ directory, sessions }) {
    const log = await openLmdbLog({ directory })
    await fillLog(log, 'start', sessions)
    await log.close()
  },
  /** Leaves the log open, and what is written as it was committed. */
  async leaveTail({ directory, sessions }) {
    const log = await openLmdbLog({ directory, regroupBytes: 2 ** 40, regroupAfterMs: 2 ** 31 - 1 })
    await fillLog(log, 'tail', sessions)
  },
})
