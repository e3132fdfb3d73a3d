// Appends to one store in a process of its own, as fast as it takes them.

import { rm } from 'node:fs/promises'
import { answerParent } from '../harness/answer-parent.mjs'
import { makeDirectory } from '../harness/servers.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { openFileStore } from '../servers/file-store.mjs'
import { openLogStore } from '../servers/log-store.mjs'

const stores = { file: openFileStore, log: openLogStore }
const record = Buffer.from(`${JSON.stringify({ text: 'x'.repeat(188) })}\n`)

answerParent({
  ...usageHandlers,
  /** Every session has one append under way. Closing counts: until then the log has put all in its final place. */
  async measure({ store: kind, sessions, durationMs }) {
    const directory = await makeDirectory()
    const store = await stores[kind](directory)
    const before = usageHandlers.usage()
    const end = before.wallMs + durationMs
    let events = 0
    const write = async (session) => {
      while (performance.now() < end) {
        await store.append(session, record)
        events += 1
      }
    }
    await Promise.all(Array.from({ length: sessions }, (_, index) => write(`sess_${index}`)))
    await store.close()
    const after = usageHandlers.usage()
    await rm(directory, { recursive: true, force: true })
    return { events, wallMs: after.wallMs - before.wallMs, cpuMs: after.cpuMs - before.cpuMs }
  },
})
