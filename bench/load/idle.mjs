// Readers that receive nothing, sessions that nobody uses, and sessions of one reader each.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventMark } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const atOnce = 50
const session = 'sess_idle'
let readers = []

/** Does `work` for `count` new sessions, over several connections. */
async function forEachSession({ port, first, count }, work) {
  const connections = await Promise.all(Array.from({ length: atOnce }, () => openConnection(port)))
  let next = first
  await Promise.all(
    connections.map(async (connection) => {
      while (next < first + count) await work(connection, `sess_idle${next++}`)
      connection.close()
    }),
  )
}

answerParent({
  async create({ port, kind }) {
    const target = targets[kind]
    const connection = await openConnection(port)
    if (target.create !== undefined) await connection.request(target.create(session))
    await connection.request(target.append(session, [eventAt(session, 0)]))
    connection.close()
  },
  /** Connects readers until there are `readerCount`. */
  async connect({ port, kind, readerCount }) {
    const request = targets[kind].read(session)
    while (readers.length < readerCount) {
      const missing = Math.min(atOnce, readerCount - readers.length)
      readers.push(
        ...(await Promise.all(Array.from({ length: missing }, () => openReader(port, request, eventMark)))),
      )
    }
  },
  /** Creates sessions of one event each. */
  begin({ port, kind, first, count }) {
    const target = targets[kind]
    return forEachSession({ port, first, count }, (connection, name) =>
      connection.request(target.append(name, [eventAt(name, 0)])),
    )
  },
  /** Creates sessions of one reader each, which receives one event. */
  follow({ port, kind, first, count }) {
    const target = targets[kind]
    return forEachSession({ port, first, count }, async (connection, name) => {
      if (target.create !== undefined) await connection.request(target.create(name))
      await connection.request(target.append(name, [eventAt(name, 0)]))
      let note
      const received = new Promise((resolve) => {
        note = resolve
      })
      readers.push(await openReader(port, target.read(name), eventMark, note))
      await connection.request(target.append(name, [eventAt(name, 1)]))
      await received
    })
  },
  close() {
    for (const reader of readers) reader.close()
    readers = []
  },
})
