// One producer at a fixed rate, shared readers, and AAEP subscriptions, each with its own terms.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { eventAt, eventMark } from './events.mjs'
import { openReader } from './reader.mjs'
import { get, targets } from './targets.mjs'

const session = 'sess_pacing'
const { append, read } = targets.sluice

let port
let shared = []
const paced = []
let dueAt = []
let delays = []

answerParent({
  async connect({ port: given, sharedCount, pacedCount }) {
    port = given
    const producer = await openConnection(port)
    await producer.request(append(session, [eventAt(session, 0)]))
    dueAt = [0]
    shared = await Promise.all(
      Array.from({ length: sharedCount }, async () => {
        let next = 1
        const note = (found) => {
          const now = performance.now()
          for (let index = 0; index < found; index++) delays.push(now - dueAt[next++])
        }
        return openReader(port, read(session), eventMark, note)
      }),
    )
    for (let index = 0; index < pacedCount; index++) {
      const { body } = await producer.request(subscribe(termsOf(index)))
      const { subscription_id: id } = JSON.parse(body)
      paced.push(
        await openReader(port, get(`/aaep/v1/events?subscription_id=${id}`, 'text/event-stream'), eventMark),
      )
    }
    producer.close()
  },

  /**
   * Sends `count` events at `perSecond`; returns the delays of the shared readers and what the subscriptions
   * received.
   */
  async run({ perSecond, count }) {
    delays = []
    const before = paced.reduce((sum, reader) => sum + reader.count, 0)
    const producer = await openConnection(port)
    const start = performance.now() + 10
    for (let index = 0; index < count; index++) {
      const due = start + (index * 1000) / perSecond
      const waitMs = due - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      dueAt.push(waitMs > 0 ? performance.now() : due)
      await producer.request(append(session, [eventAt(session, dueAt.length - 1)]))
    }
    producer.close()
    while (delays.length < count * shared.length) await new Promise((resolve) => setTimeout(resolve, 5))
    return { delays, emitted: paced.reduce((sum, reader) => sum + reader.count, 0) - before }
  },

  close() {
    for (const reader of [...shared, ...paced]) reader.close()
  },
})

const rates = [undefined, 1, 2, 5, 10]
const boundaries = [['sentence', 'completion'], ['word'], ['paragraph', 'sentence'], ['completion'], ['none']]
const languages = ['en', 'es', 'fr', 'de', 'ar', 'zh']
const loads = ['low', 'medium', 'high']
const verbosities = ['terse', 'normal', 'detailed']

/** The first 200 all differ. */
function termsOf(index) {
  const rate = rates[index % rates.length]
  return {
    ...(rate === undefined ? {} : { max_events_per_second: rate }),
    coalesce_boundaries: boundaries[Math.floor(index / rates.length) % boundaries.length],
    languages: [languages[index % languages.length]],
    cognitive_load: loads[Math.floor(index / 25) % loads.length],
    preferred_verbosity: verbosities[index % verbosities.length],
    // A subscription at a listener's pace receives little; two of three have no such pace.
    ...(index % 3 === 0 ? { pace_wpm: 120 + index } : {}),
    event_filters: { include: ['aaep:agent.*'], exclude: index < 100 ? [] : ['sluice:*'] },
  }
}

function subscribe(capabilities) {
  const body = JSON.stringify({
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: 'bench',
    capabilities,
  })
  return (
    `POST /aaep/v1/subscriptions?session=${session}&after=now HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
