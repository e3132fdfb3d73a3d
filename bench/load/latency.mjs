// One producer that sends at a fixed rate, and readers: from the moment an event is due until it arrives.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventMark } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const session = 'sess_latency'

let target
let port
let readers = []
let dueAt = []
let delays = []

answerParent({
  async connect({ port: given, kind, readerCount }) {
    port = given
    target = targets[kind]
    const producer = await openConnection(port)
    if (target.create !== undefined) await producer.request(target.create(session))
    await producer.request(target.append(session, [eventAt(session, 0)]))
    producer.close()
    dueAt = [0]
    readers = await Promise.all(
      Array.from({ length: readerCount }, async () => {
        let next = 1
        const note = (found) => {
          const now = performance.now()
          for (let index = 0; index < found; index++) delays.push(now - dueAt[next++])
        }
        return openReader(port, target.read(session), eventMark, note)
      }),
    )
  },

  /**
   * Sends `count` events at `perSecond`. An event that falls due before the last one is acknowledged waits
   * for it, and its delay counts from when it was due, so that a server that stalls is not spared. Returns
   * all delays, in ms.
   */
  async run({ perSecond, count }) {
    delays = []
    // Between two runs the connection would be idle for longer than servers keep it open.
    const producer = await openConnection(port)
    const start = performance.now() + 10
    for (let index = 0; index < count; index++) {
      const due = start + (index * 1000) / perSecond
      const waitMs = due - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      // A Node timer can be late by a millisecond, which is not the server's delay.
      dueAt.push(waitMs > 0 ? performance.now() : due)
      await producer.request(target.append(session, [eventAt(session, dueAt.length - 1)]))
    }
    producer.close()
    while (delays.length < count * readers.length) await new Promise((resolve) => setTimeout(resolve, 5))
    return delays
  },

  close() {
    for (const reader of readers) reader.close()
  },
})
