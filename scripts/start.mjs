// Runs a gateway on ./.sluice, or on SLUICE_DATA, and starts one run of its demo agent.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { main } from '../packages/cli/bundle/main.js'

const DATA = process.env.SLUICE_DATA ?? '.sluice'
const REQUEST = 'A weekend in Évora for two, by train, please.'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// On SIGTERM npm ends only the shell between it and this process; the only sign of that is a changed parent.
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
  if (!stop.signal.aborted) console.error(`No session plays: ${error.message}`)
}
process.exitCode = await serving

/** Waits until the gateway of this process has written its address to its data directory. */
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

/** Plays a separate session on every start. */
async function play({ url }) {
  const key = readFileSync(`${DATA}/local.key`, 'utf8').trim()
  const response = await fetch(`${url}/v1/agents/demo/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ prompt: REQUEST }),
    signal: stop.signal,
  })
  if (!response.ok) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`)
  const { id: session } = await response.json()
  console.log(`The demo agent is at work: ${session}. To watch it, or to have it ask you something:\n`)
  const where = process.env.SLUICE_DATA === undefined ? '' : ` --data ${DATA}`
  console.log(`  npx sluice tail ${session}${where}\n  npx sluice run demo '${REQUEST}'${where}\n`)
}
