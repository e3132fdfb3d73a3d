// Many readers of one session, and its producer, which sends the next batch once the last one is acknowledged
// and at most two are on their way to the readers. So every server commits and writes the same batches.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventMark, eventsFrom } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const session = 'sess_fanout'
const batchesUnderWay = 2

let target
let producer
let readers = []
let sent = 0
let delivered = 0
let onDelivered = () => {}

async function until(condition) {
  while (!condition())
    await new Promise((resolve) => {
      onDelivered = resolve
    })
}

answerParent({
  async connect({ port, kind, readerCount }) {
    target = targets[kind]
    producer = await openConnection(port)
    if (target.create !== undefined) await producer.request(target.create(session))
    await producer.request(target.append(session, eventsFrom(session, 0, 1)))
    sent = 1
    const note = (count) => {
      delivered += count
      onDelivered()
    }
    while (readers.length < readerCount)
      readers.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, readerCount - readers.length) }, () =>
            openReader(port, target.read(session), eventMark, note),
          ),
        )),
      )
  },

  /** Sends `batches` batches, and waits until all readers have all of them. */
  async run({ batchSize, batches }) {
    const before = delivered
    for (let batch = 0; batch < batches; batch++) {
      await until(() => delivered >= before + (batch - batchesUnderWay) * batchSize * readers.length)
      await producer.request(target.append(session, eventsFrom(session, sent, batchSize)))
      sent += batchSize
    }
    const expected = batches * batchSize * readers.length
    await until(() => delivered - before >= expected)
    const counts = new Set(readers.map(({ count }) => count))
    if (counts.size !== 1) throw new Error(`readers differ: ${[...counts].join(', ')}`)
    return { deliveries: expected }
  },

  async close() {
    for (const reader of readers) reader.close()
    producer.close()
    readers = []
  },
})
