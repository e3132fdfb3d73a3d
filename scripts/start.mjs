// Runs a gateway on ./.sluice, or on SLUICE_DATA, and plays the bundled recording to it over HTTP, as an agent would.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { main } from '../packages/cli/dist/main.js'

const DATA = process.env.SLUICE_DATA ?? '.sluice'
const RECORDING = 'examples/recording.aaep.ndjson'
const LONGEST_PAUSE_MS = 5000

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// npm answers SIGTERM by ending the shell between it and this process, which then learns of it in this way alone.
const { ppid } = process
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM')
}, 1000).unref()

const startedAt = Date.now()
const { stdin, stdout, stderr, env } = process
const args = ['serve', '--data', DATA, '--next-port', ...process.argv.slice(2)]
const stop = new AbortController()
const serving = main(args, { stdin, stdout, stderr, env: { SLUICE_LOG_LEVEL: 'warn', ...env } }).finally(() =>
  stop.abort(),
)

try {
  await play(await findGateway())
} catch (error) {
  if (!stop.signal.aborted) console.error(`The session stopped playing: ${error.message}`)
}
process.exitCode = await serving

/** The gateway of this process says where it is in its data directory. */
async function findGateway() {
  for (;;) {
    const found = readGatewayFile()
    if (found?.pid === process.pid && found.startedAt >= startedAt) return found
    await pause(20, undefined, { signal: stop.signal })
  }
}

function readGatewayFile() {
  try {
    return JSON.parse(readFileSync(`${DATA}/gateway.json`, 'utf8'))
  } catch {
    return undefined
  }
}

/** Every start plays a session of its own, in the rhythm in which it was recorded. */
async function play({ url }) {
  const session = `sess_evora${startedAt.toString(36)}`
  const events = readFileSync(RECORDING, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const start = Date.parse(events[0].timestamp)
  let beforeMs = 0
  for (const [index, event] of events.entries()) {
    const afterMs = Date.parse(event.timestamp) - start
    await pause(Math.min(afterMs - beforeMs, LONGEST_PAUSE_MS), undefined, { signal: stop.signal })
    beforeMs = afterMs
    await publish(url, session, { ...event, session_id: session, timestamp: new Date().toISOString() })
    // Its first event makes the session, so that the line can be pasted at once.
    if (index === 0)
      console.log(`A session is playing now: ${session}. To watch it:\n\n  npx sluice tail ${session}\n`)
  }
}

async function publish(url, session, event) {
  const key = readFileSync(`${DATA}/local.key`, 'utf8').trim()
  const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=aaep`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(event),
    signal: stop.signal,
  })
  if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}
