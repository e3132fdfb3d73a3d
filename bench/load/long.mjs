// Readers of one long session: some read everything, some take nothing.

import { once } from 'node:events'
import { connect } from 'node:net'
import { answerParent } from '../harness/answer-parent.mjs'

let sockets = []

/** Opens a connection and sends a request; resolves when the answer begins. */
async function open(port, request) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  const [first] = await once(socket, 'data')
  if (!first.toString('latin1', 0, 12).startsWith('HTTP/1.1 20'))
    throw new Error(`a reader was answered: ${first.toString('latin1', 0, 400)}`)
  return socket
}

answerParent({
  async follow({ port, requests }) {
    sockets = await Promise.all(requests.map((request) => open(port, request)))
    for (const socket of sockets) socket.resume()
  },
  async stall({ port, requests }) {
    sockets = await Promise.all(
      requests.map(async (request) => {
        const socket = await open(port, request)
        socket.pause()
        return socket
      }),
    )
  },
  close() {
    for (const socket of sockets) socket.destroy()
    sockets = []
  },
})
