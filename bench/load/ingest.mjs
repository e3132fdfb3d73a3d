// Producers, each with its own session and connection, that send one event per request or a stream of lines.

import { once } from 'node:events'
import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventsFrom } from './events.mjs'
import { targets } from './targets.mjs'

const linesAtOnce = 100

let producers = []
let opened = 0

async function openProducer(port, target) {
  const session = `sess_ingest${opened++}`
  const connection = await openConnection(port)
  if (target.create !== undefined) await connection.request(target.create(session))
  return { session, connection, sent: 0 }
}

async function post(producer, target, hasMore) {
  const { session, connection } = producer
  const before = producer.sent
  while (hasMore(1)) {
    await connection.request(target.append(session, [eventAt(session, producer.sent)]))
    producer.sent += 1
  }
  return producer.sent - before
}

async function stream({ session, connection }, target, hasMore) {
  const { socket } = connection
  const answer = connection.answered()
  socket.write(target.stream(session))
  let sent = 0
  while (hasMore(linesAtOnce)) {
    const lines = `${eventsFrom(session, sent, linesAtOnce).join('\n')}\n`
    sent += linesAtOnce
    if (!socket.write(`${Buffer.byteLength(lines).toString(16)}\r\n${lines}\r\n`)) await once(socket, 'drain')
  }
  socket.write('0\r\n\r\n')
  const { accepted } = JSON.parse((await answer).body)
  if (accepted !== sent) throw new Error(`${accepted} of ${sent} lines were accepted`)
  return sent
}

/** All producers together send `events` events, or as many as they can in `maxMs`. */
async function runAll({ port, kind, connections, events, maxMs }, work) {
  const target = targets[kind]
  while (producers.length < connections) producers.push(await openProducer(port, target))
  const until = performance.now() + maxMs
  let left = events
  const hasMore = (count) => {
    if (left <= 0 || performance.now() > until) return false
    left -= count
    return true
  }
  const counts = await Promise.all(producers.map((producer) => work(producer, target, hasMore)))
  return { events: counts.reduce((sum, each) => sum + each, 0) }
}

function closeAll() {
  for (const { connection } of producers) connection.close()
  producers = []
}

answerParent({
  post: (given) => runAll(given, post),
  /** A stream is one request, so every call opens its own sessions. */
  async stream(given) {
    closeAll()
    const result = await runAll(given, stream)
    closeAll()
    return result
  },
  close: closeAll,
})
