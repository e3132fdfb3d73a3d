// An agent that publishes the session of this suite: all at once, or at a given pace.

import { createClient } from '@sluice/client'
import { answerParent } from '../harness/answer-parent.mjs'
import { eventsAt, lastEventsAt } from './session.mjs'

let client
/** The publisher and the number of the next entry, by session. */
const sessions = new Map()

async function openSession(id) {
  const known = sessions.get(id)
  if (known !== undefined) return known
  const opened = { publisher: client.publisher(id), next: await countEntries(id) }
  sessions.set(id, opened)
  return opened
}

async function countEntries(id) {
  try {
    return (await client.snapshot(id)).session.seq + 1
  } catch (error) {
    if (error.code === 'unknown_session') return 0
    throw error
  }
}

answerParent({
  connect({ url }) {
    client = createClient({ url })
  },
  /** Publishes entries until the session has `count`. */
  async fill({ session, count, isEnded }) {
    const opened = await openSession(session)
    const { publisher } = opened
    for (; opened.next < count; opened.next++) {
      await publisher.ready()
      const isLast = isEnded && opened.next === count - 1
      publisher.send({ events: isLast ? lastEventsAt(opened.next) : eventsAt(opened.next) })
    }
    await publisher.flush()
  },
  /** Publishes `count` more entries, each when it is due; returns the number of the last one. */
  async stream({ session, perSecond, count }) {
    const opened = await openSession(session)
    const start = performance.now()
    for (let index = 0; index < count; index++) {
      const waitMs = start + (index * 1000) / perSecond - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      opened.publisher.send({ events: eventsAt(opened.next++) })
    }
    await opened.publisher.flush()
    return opened.next - 1
  },
  async close() {
    for (const { publisher } of sessions.values()) await publisher.close()
  },
})
