// The least that any server of this kind does, over bare node:http: an event is parsed, committed, then
// written to every reader of its session from one shared buffer. No checks, no resume, no backpressure.

import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { openFileStore } from './file-store.mjs'
import { openLogStore } from './log-store.mjs'

// A chunk of one stream is at most 64 KiB, so this is about as much as the gateway lets wait.
const maxCommitsUnderWay = 16

const sessions = new Map()
let server
let store

function sessionOf(path) {
  const known = sessions.get(path)
  if (known !== undefined) return known
  const session = { name: path.slice(1), nextSeq: 0, readers: new Set(), frames: '' }
  sessions.set(path, session)
  return session
}

/** Commits lines of JSON, then hands all that the same commit made durable to the readers, as one buffer. */
async function publish(session, bytes, lines) {
  for (const line of lines) JSON.parse(line)
  await store.append(session.name, bytes)
  if (session.readers.size === 0) {
    session.nextSeq += lines.length
    return
  }
  if (session.frames === '') process.nextTick(deliver, session)
  for (const line of lines) session.frames += `id: ${session.nextSeq++}\ndata: ${line}\n\n`
}

function deliver(session) {
  const { frames } = session
  session.frames = ''
  // Framed as a chunk once: response.write() would do so for every reader, a quarter of a small write's cost.
  const shared = Buffer.from(`${Buffer.byteLength(frames).toString(16)}\r\n${frames}\r\n`)
  for (const socket of session.readers) socket.write(shared)
}

function answer(response, accepted) {
  const body = JSON.stringify({ accepted })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}

function receiveOne(request, response, session) {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    await publish(session, bytes, [bytes.toString()])
    answer(response, 1)
  })
}

/** Lines are committed as they arrive, those of one chunk together; beyond a bound the next chunk waits. */
async function receiveLines(request, response, session) {
  const commits = []
  let accepted = 0
  let rest = ''
  request.setEncoding('utf8')
  for await (const chunk of request) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    if (lines.length === 0) continue
    accepted += lines.length
    commits.push(publish(session, Buffer.from(lines.join('\n')), lines))
    if (commits.length > maxCommitsUnderWay) await commits.shift()
  }
  await Promise.all(commits)
  answer(response, accepted)
}

function follow(request, response, session) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  const { socket } = request
  socket.setNoDelay(true)
  session.readers.add(socket)
  response.on('close', () => session.readers.delete(socket))
}

function sendFile(response, path) {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  createReadStream(path).pipe(response)
}

answerParent({
  ...usageHandlers,
  async start({ store: kind, directory, file }) {
    store = await (kind === 'file' ? openFileStore(directory) : openLogStore(directory))
    server = createServer((request, response) => {
      if (request.url === '/file') sendFile(response, file)
      else if (request.method === 'GET') follow(request, response, sessionOf(request.url))
      else if (request.headers['content-type'] === 'application/json')
        receiveOne(request, response, sessionOf(request.url))
      else receiveLines(request, response, sessionOf(request.url))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
    return { port: server.address().port }
  },
  async stop() {
    server.closeAllConnections()
    server.close()
    await store.close()
  },
})
