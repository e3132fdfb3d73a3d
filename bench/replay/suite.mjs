import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dialects } from '@sluice/protocol/dialects'
import { measureRuns, ratiosOf, valuesOf } from '../harness/runs.mjs'
import { makeDirectory, startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { get } from '../load/targets.mjs'
import { atLeast, judge } from '../report/goal.mjs'
import { formatNumber, formatSpread, medianOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'

const session = 'sess_replay'
const ownDialect = 'aaep'
const otherDialects = dialects.map(({ id }) => id).filter((id) => id !== ownDialect)
/** How often the shortest works are done. */
const shortRounds = 10
const names = ['file', 'sluice', 'transcode', 'durable-streams, memory', 'durable-streams, file']
const comparisons = [
  { other: 'file', goal: atLeast(0.3) },
  { other: 'transcode', goal: atLeast(0.8) },
  { other: 'durable-streams, memory', goal: atLeast(3) },
  { other: 'durable-streams, file' },
]

/** Reads a whole session from the log, in its own dialect and in others. */
export const replaySuite = {
  name: 'replay',
  summary:
    'a session of 100 000 entries read again, against a file of the same bytes and the bare conversion',
  async run({ runs, isQuick }) {
    const count = isQuick ? 10_000 : 100_000
    const directory = await makeDirectory()
    const work = { count, directory, file: join(directory, 'replayed') }
    await prepare(work)
    const measure = (name) => measures[name](work)
    const found = await measureRuns({ suite: 'replay', runs, names, measure })
    await rm(directory, { recursive: true, force: true })
    return formatRows(found, count)
  },
}

function readRequest(dialect, after = -1) {
  const path = `/v1/sessions/${session}/events?dialect=${dialect}&live=false&after=${after}`
  return closing(get(path, 'application/x-ndjson'))
}

/** Makes the answer end with the connection. */
function closing(request) {
  return request.replace('\r\n', '\r\nconnection: close\r\n')
}

/** Fills the log of a gateway, and a file with what it serves. */
async function prepare({ count, directory, file }) {
  const server = await startServer('sluice', { directory })
  const load = await startChild('load/stored.mjs')
  await load.ask('fill', { port: server.port, kind: server.target, session, count })
  const url = `http://127.0.0.1:${server.port}/v1/sessions/${session}/events?dialect=${ownDialect}&live=false`
  const answer = await fetch(url, { headers: { accept: 'application/x-ndjson' } })
  await writeFile(file, Buffer.from(await answer.arrayBuffer()))
  await load.end()
  await server.stop()
}

/** Entries per second of the server's processor time, by row. Each request runs once before it counts. */
async function readRows(server, count, requests) {
  const load = await startChild('load/stored.mjs')
  const rows = {}
  for (const [row, request] of Object.entries(requests)) {
    const warmUp = request.warmUp ?? request.all
    await load.ask('readAll', { port: server.port, request: warmUp })
    const rounds = request.rounds ?? 1
    const before = await server.usage()
    for (let round = 0; round < rounds; round++)
      await load.ask('readAll', { port: server.port, request: request.all })
    const after = await server.usage()
    rows[row] = { perCpuSecond: (rounds * count * 1000) / (after.cpuMs - before.cpuMs) }
  }
  await load.end()
  return rows
}

const measures = {
  async file({ count, file }) {
    const server = await startServer('floor, file', { options: { file } })
    const requests = { [ownDialect]: { all: closing(get('/file', '*/*')), rounds: shortRounds } }
    const rows = await readRows(server, count, requests)
    await server.stop()
    return rows
  },

  async sluice({ count, directory }) {
    const server = await startServer('sluice', { directory })
    const toRequest = (dialect) => ({
      all: readRequest(dialect),
      ...(dialect === ownDialect
        ? { rounds: shortRounds }
        : { warmUp: readRequest(dialect, Math.floor(count * 0.8)) }),
    })
    const requests = Object.fromEntries([ownDialect, ...otherDialects].map((id) => [id, toRequest(id)]))
    const rows = await readRows(server, count, requests)
    await server.stop()
    return rows
  },

  async transcode() {
    const worker = await startChild('replay/transcode-worker.mjs')
    const rows = {}
    for (const dialect of otherDialects)
      rows[dialect] = await worker.ask('measure', { dialect, durationMs: 600 })
    await worker.end()
    return rows
  },

  'durable-streams, memory': (work) => measurePeer('durable-streams, memory', work),
  'durable-streams, file': (work) => measurePeer('durable-streams, file', work),
}

async function measurePeer(name, { count }) {
  const server = await startServer(name)
  const load = await startChild('load/stored.mjs')
  await load.ask('fill', { port: server.port, kind: server.target, session, count })
  await load.end()
  const requests = { [ownDialect]: { all: closing(get(`/v1/stream/${session}?offset=-1`, '*/*')) } }
  const rows = await readRows(server, count, requests)
  await server.stop()
  return rows
}

function formatRows(found, count) {
  const lines = []
  for (const [row, byName] of found) {
    for (const { other, goal } of comparisons) {
      const ratios = ratiosOf(byName, 'perCpuSecond', 'sluice', other)
      if (ratios === undefined) continue
      const speed = (name) => formatNumber(medianOf(valuesOf(byName, 'perCpuSecond', name)))
      lines.push([row, other, speed('sluice'), speed(other), formatSpread(ratios), ...judge(goal, ratios)])
    }
  }
  return [
    `A session of ${formatNumber(count)} AAEP events read from its start over HTTP (NDJSON), in its own dialect and in`,
    'others: entries per second of the processor time of the server. Median and, in brackets, least and greatest.',
    '',
    formatTable(['read as', 'against', 'sluice', 'the other', 'ratio', 'goal', 'met'], lines),
    '',
    'file: bare node:http pipes a file of the same bytes. transcode: parseFrame, admit and encode.step of the same frames',
    `in memory. Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, one catch-up read.`,
  ].join('\n')
}
