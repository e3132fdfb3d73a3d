// What a gateway grows by, and the same work at every size.

import { answerParent } from '../harness/answer-parent.mjs'
import { openConnection } from './connection.mjs'
import { openReader } from './reader.mjs'
import { get } from './targets.mjs'

const producerCount = 64
const linesAtOnce = 500
/** Sessions that are written to at a time; the others exist. */
const maxActive = 1000
// Without ids and positions, so that any order is right.
const event = `{"type":"log","data":{"message":"${'The agent has looked at another file. '.repeat(4)}"}}`
const eventMark = Buffer.from('The agent has looked at another file. The')

let port
let connections = []
let readers = []
let delivered = 0
let onDelivered = () => {}

const nameOf = (index) => `sess_growth${index}`

function post(session, { body, dialect = 'stream-event', type = 'application/json' }) {
  return (
    `POST /v1/sessions/${session}/events?dialect=${dialect} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** Sends `count` requests over all connections, each as soon as its connection is free. */
async function sendAll(count, requestOf) {
  let next = 0
  const send = async (connection) => {
    while (next < count) await connection.request(requestOf(next++))
  }
  await Promise.all(connections.map(send))
}

function askInSession(index) {
  const opened = { kind: 'question-open', question: 'confirmation', token: `t${index}`, text: 'Go on?' }
  const body = JSON.stringify({ events: [{ ...opened, timeoutMs: 3_600_000, default: 'reject' }] })
  return post(`sess_asks${index}`, { body, dialect: 'sluice' })
}

answerParent({
  async connect(given) {
    port = given.port
    connections = await Promise.all(Array.from({ length: producerCount }, () => openConnection(port)))
  },

  /** Grows from one size to the next. */
  sessions: ({ from, to }) => sendAll(to - from, (index) => post(nameOf(from + index), { body: event })),
  async entries({ from, to }) {
    const body = `${event}\n`.repeat(linesAtOnce)
    for (let sent = from; sent < to; sent += linesAtOnce)
      await connections[0].request(post(nameOf(0), { body, type: 'application/x-ndjson' }))
  },
  questions: ({ from, to }) => sendAll(to - from, (index) => askInSession(from + index)),
  async readers({ to }) {
    const request = get(
      `/v1/sessions/${nameOf(0)}/events?dialect=stream-event&after=now`,
      'text/event-stream',
    )
    const note = (count) => {
      delivered += count
      onDelivered()
    }
    const open = () => openReader(port, request, eventMark, note)
    while (readers.length < to) {
      const missing = Math.min(50, to - readers.length)
      readers.push(...(await Promise.all(Array.from({ length: missing }, open))))
    }
  },

  /** Publishes `count` events to the active ones of that number of sessions. */
  publish: ({ count, sessions }) => {
    const step = Math.max(1, Math.floor(sessions / maxActive))
    const active = Math.min(sessions, maxActive)
    return sendAll(count, (index) => post(nameOf((index % active) * step), { body: event }))
  },
  /** Publishes one event after the other, each once all readers have the one before. */
  async deliver({ count }) {
    for (let sent = 0; sent < count; sent++) {
      const expected = delivered + readers.length
      await connections[0].request(post(nameOf(0), { body: event }))
      while (delivered < expected)
        await new Promise((resolve) => {
          onDelivered = resolve
        })
    }
  },
  close() {
    for (const each of [...connections, ...readers]) each.close()
    connections = []
    readers = []
  },
})
