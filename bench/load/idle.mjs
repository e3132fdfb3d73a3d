// Readers that receive nothing, and sessions that nobody uses.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventMark } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const atOnce = 50
const session = 'sess_idle'
let readers = []

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
  async begin({ port, kind, first, count }) {
    const target = targets[kind]
    const connections = await Promise.all(Array.from({ length: atOnce }, () => openConnection(port)))
    let next = first
    await Promise.all(
      connections.map(async (connection) => {
        while (next < first + count) {
          const name = `sess_idle${next++}`
          await connection.request(target.append(name, [eventAt(name, 0)]))
        }
        connection.close()
      }),
    )
  },
  close() {
    for (const reader of readers) reader.close()
    readers = []
  },
})
