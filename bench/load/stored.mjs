// One long session: fills it, reads all of it, joins it somewhere.

import { once } from 'node:events'
import { connect } from 'node:net'
import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventMark, eventsFrom } from './events.mjs'
import { openReader } from './reader.mjs'
import { targets } from './targets.mjs'

const eventsAtOnce = 500

async function send(port, request) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(request)
  return socket
}

answerParent({
  async fill({ port, kind, session, count, first = 0 }) {
    const target = targets[kind]
    const connection = await openConnection(port)
    if (target.create !== undefined && first === 0) await connection.request(target.create(session))
    for (let sent = first; sent < first + count; sent += eventsAtOnce)
      await connection.request(target.append(session, eventsFrom(session, sent, eventsAtOnce)))
    connection.close()
  },

  /** Sends a request whose answer ends with the connection; returns how many bytes arrived. */
  async readAll({ port, request }) {
    const socket = await send(port, request)
    let bytes = 0
    socket.on('data', (chunk) => {
      if (bytes === 0 && !chunk.toString('latin1', 0, 15).startsWith('HTTP/1.1 200'))
        throw new Error(chunk.toString('latin1', 0, 400))
      bytes += chunk.length
    })
    await once(socket, 'close')
    return { bytes }
  },

  /** How long the first frame takes to arrive after the request. */
  async joinAt({ port, request }) {
    const start = performance.now()
    const socket = await send(port, request)
    for await (const chunk of socket) if (chunk.includes('data: ')) break
    return { ms: performance.now() - start }
  },

  /** Connects many readers at once; returns how long it takes until each of them has `eventCount` events. */
  async reconnect({ port, request, readerCount, eventCount }) {
    const start = performance.now()
    const readers = await Promise.all(
      Array.from(
        { length: readerCount },
        () =>
          new Promise((resolve, reject) => {
            let missing = eventCount
            let reader
            const note = (found) => {
              missing -= found
              if (missing <= 0 && reader !== undefined) resolve(reader)
            }
            openReader(port, request, eventMark, note).then((opened) => {
              reader = opened
              note(0)
            }, reject)
          }),
      ),
    )
    const ms = performance.now() - start
    for (const reader of readers) reader.close()
    return { ms }
  },
})
