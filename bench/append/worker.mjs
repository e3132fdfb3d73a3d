// Appends to a file and to the log in turns, in a separate process.

import { rm } from 'node:fs/promises'
import { answerParent } from '../harness/answer-parent.mjs'
import { makeDirectory } from '../harness/servers.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { openFileStore } from '../servers/file-store.mjs'
import { openLogStore } from '../servers/log-store.mjs'

const record = Buffer.from(JSON.stringify({ text: 'x'.repeat(189) }))
// The log must not work during the file's turn: it regroups only by size and when it is closed.
const never = { regroupAfterMs: 2 ** 31 - 1 }

/** Keeps one append per session under way until `until`. */
async function fill(store, sessions, until) {
  let events = 0
  const write = async (session) => {
    while (performance.now() < until) {
      await store.append(session, record)
      events += 1
    }
  }
  await Promise.all(Array.from({ length: sessions }, (_, index) => write(`sess_${index}`)))
  return events
}

/** Does some work and adds its cost to `sums`. */
async function count(sums, work) {
  const before = usageHandlers.usage()
  sums.events += await work()
  const after = usageHandlers.usage()
  sums.wallMs += after.wallMs - before.wallMs
  sums.cpuMs += after.cpuMs - before.cpuMs
}

answerParent({
  async measure({ sessions, slices, sliceMs }) {
    const directory = await makeDirectory()
    const stores = { file: await openFileStore(directory), log: await openLogStore(directory, never) }
    const sums = Object.fromEntries(
      Object.keys(stores).map((name) => [name, { events: 0, wallMs: 0, cpuMs: 0 }]),
    )
    for (let slice = 0; slice < slices; slice++)
      for (const name of slice % 2 === 0 ? ['file', 'log'] : ['log', 'file'])
        await count(sums[name], () => fill(stores[name], sessions, performance.now() + sliceMs))
    for (const name of Object.keys(stores))
      await count(sums[name], async () => {
        await stores[name].close()
        return 0
      })
    await rm(directory, { recursive: true, force: true })
    return sums
  },
})
