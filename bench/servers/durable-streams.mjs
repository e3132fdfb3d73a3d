// @durable-streams/server with its default settings: in memory, or with its file store.

import { DurableStreamTestServer } from '@durable-streams/server'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'

let server

answerParent({
  ...usageHandlers,
  async start({ store, directory }) {
    server = new DurableStreamTestServer({ port: 0, ...(store === 'file' ? { dataDir: directory } : {}) })
    await server.start()
    return { port: Number(new URL(server.url).port) }
  },
  // Its own stop() fails while readers are connected (write after end); the process ends anyway.
  stop() {},
})
