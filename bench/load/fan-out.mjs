// Many readers of one session, and its producers. Each sends its next batch once its last one is acknowledged, and at
// most two rounds of all producers are on their way to the readers. So every server has the same to gather.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventMark, eventsFrom } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const session = 'sess_fanout'
const roundsUnderWay = 2

let target
let port
let producers = []
let readers = []
let delivered = 0
let waiting = []

async function until(condition) {
  while (!condition()) await new Promise((resolve) => waiting.push(resolve))
}

function onDelivered() {
  const wake = waiting
  waiting = []
  for (const resolve of wake) resolve()
}

/** A single producer sends the session's start and its own texts. */
async function addProducer() {
  const name = producers.length === 0 ? '' : `${producers.length}x`
  const producer = { name, sent: 1, connection: await openConnection(port) }
  producers.push(producer)
  return producer
}

async function sendBatch({ name, sent, connection }, batchSize) {
  await connection.request(target.append(session, eventsFrom(session, sent, batchSize, name)))
}

answerParent({
  async connect({ kind, readerCount, ...given }) {
    port = given.port
    target = targets[kind]
    const { connection } = await addProducer()
    if (target.create !== undefined) await connection.request(target.create(session))
    await connection.request(target.append(session, eventsFrom(session, 0, 1)))
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

  /** `producerCount` producers together send `batches` batches; waits until all readers have all of them. */
  async run({ batchSize, batches, producerCount }) {
    const before = delivered
    while (producers.length < producerCount) await addProducer()
    let begun = 0
    const produce = async (producer) => {
      while (begun < batches) {
        const least = (++begun - roundsUnderWay * producerCount) * batchSize * readers.length
        await until(() => delivered - before >= least)
        await sendBatch(producer, batchSize)
        producer.sent += batchSize
      }
    }
    await Promise.all(producers.slice(0, producerCount).map(produce))
    const expected = batches * batchSize * readers.length
    await until(() => delivered - before >= expected)
    const counts = new Set(readers.map(({ count }) => count))
    if (counts.size !== 1) throw new Error(`readers differ: ${[...counts].join(', ')}`)
    return { deliveries: expected }
  },

  async close() {
    for (const reader of readers) reader.close()
    for (const { connection } of producers) connection.close()
    readers = []
    producers = []
  },
})
