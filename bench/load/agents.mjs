// Asks a gateway for runs, each over its own connection.

import { toEnvironment } from '../agents/shapes.mjs'
import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'

const connections = []

answerParent({
  /** Asks for `count` runs at once; returns their sessions once all have started. */
  async begin({ port, shape, count }) {
    while (connections.length < count) connections.push(await openConnection(port))
    const request = runRequest(shape)
    const answers = await Promise.all(
      connections.slice(0, count).map((connection) => connection.request(request)),
    )
    return answers.map(({ body }) => JSON.parse(body).id)
  },
  close() {
    for (const connection of connections.splice(0)) connection.close()
  },
})

function runRequest(shape) {
  const body = JSON.stringify({ prompt: 'Print.', env: toEnvironment(shape) })
  return (
    `POST /v1/agents/${shape.kind}/runs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
