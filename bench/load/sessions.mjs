// Many sessions, each with one producer and one reader, and events spread evenly over time.

import { setTimeout as delay } from 'node:timers/promises'
import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventMark } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const atOnce = 50
const arrivalMs = 10_000

let sessions = []

async function openSession({ port, kind, isStreamed, name }) {
  const target = targets[kind]
  const connection = await openConnection(port)
  if (target.create !== undefined) await connection.request(target.create(name))
  await connection.request(target.append(name, [eventAt(name, 0)]))
  const reader = await openReader(port, target.read(name), eventMark)
  const session = { name, connection, reader, sent: 0 }
  return isStreamed ? stream(session, target) : post(session, target)
}

/** One request per event, each once the one before it is acknowledged. */
function post(session, target) {
  const { name, connection } = session
  let last = Promise.resolve()
  return {
    ...session,
    send(index) {
      const request = target.append(name, [eventAt(name, index)])
      last = last.then(() => connection.request(request))
    },
    finish: () => last,
  }
}

/** One request that stays open, to which each event is written as a chunk. */
function stream(session, target) {
  const { name, connection } = session
  const { socket } = connection
  const answer = connection.answered()
  let sent = 0
  socket.write(target.stream(name))
  return {
    ...session,
    send(index) {
      const line = `${eventAt(name, index)}\n`
      socket.write(`${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`)
      sent += 1
    },
    async finish() {
      socket.write('0\r\n\r\n')
      const { accepted } = JSON.parse((await answer).body)
      if (accepted !== sent) throw new Error(`${name}: ${accepted} of ${sent} lines were accepted`)
    },
  }
}

/** Waits until every reader has every event. */
async function arrive() {
  const until = performance.now() + arrivalMs
  let late = []
  do {
    late = sessions.filter(({ reader, sent }) => reader.count < sent)
    if (late.length > 0) await delay(5)
  } while (late.length > 0 && performance.now() < until)
  const wrong = sessions.find(({ reader, sent }) => reader.count !== sent)
  if (wrong !== undefined)
    throw new Error(
      `${late.length} readers lack events; ${wrong.name}: ${wrong.reader.count} of ${wrong.sent}`,
    )
}

answerParent({
  async connect({ port, kind, sessionCount, isStreamed }) {
    while (sessions.length < sessionCount) {
      const names = Array.from(
        { length: Math.min(atOnce, sessionCount - sessions.length) },
        (_, index) => `sess_agent${sessions.length + index}`,
      )
      sessions.push(
        ...(await Promise.all(names.map((name) => openSession({ port, kind, isStreamed, name })))),
      )
    }
  },

  /**
   * Sends `perSecond` events per second to each session for `seconds`, the sessions one after the other at equal
   * distances. Returns once every event has reached its reader, with how many there were.
   */
  async run({ perSecond, seconds }) {
    const gapMs = 1000 / perSecond / sessions.length
    const count = perSecond * seconds * sessions.length
    const start = performance.now()
    for (let sent = 0; sent < count; ) {
      // A Node timer is late by up to a millisecond, so several events may be due.
      const due = Math.min(count, Math.ceil((performance.now() - start) / gapMs))
      for (; sent < due; sent++) {
        const session = sessions[sent % sessions.length]
        session.sent += 1
        session.send(session.sent)
      }
      await delay(1)
    }
    await arrive()
    return { events: count }
  },

  async close() {
    await Promise.all(sessions.map(({ finish }) => finish()))
    for (const { connection, reader } of sessions) {
      connection.close()
      reader.close()
    }
    sessions = []
  },
})
