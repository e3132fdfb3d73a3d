import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { get } from '../load/targets.mjs'
import { leastMemory } from './least-memory.mjs'

const session = 'sess_long'
const dialects = ['sluice', 'aaep', 'agent-event', 'stream-event', 'a2a', 'a2a-v1']
const joinings = ['', '&coalesce=word', '&coalesce=sentence', '&coalesce=paragraph', '&coalesce=40ms']

/**
 * What a gateway keeps in memory of a long session, as a ratio to the bytes of its snapshot: after it was written, while
 * readers of every dialect follow, after others joined late and read to its head, and with readers who take nothing.
 */
export async function measureLongSession({ events, stalled }) {
  const server = await startServer('sluice', {
    // The log holds recent writes in memory until it regroups them.
    options: { logOptions: { regroupAfterMs: 200 } },
    execArgv: ['--expose-gc'],
  })
  const load = await startChild('load/stored.mjs')
  const readers = await startChild('load/long.mjs')
  const { port, target: kind } = server
  const half = events / 2
  const start = await leastMemory(server)
  const fill = (first) => load.ask('fill', { port, kind, session, count: half, first })
  await fill(0)
  const written = await leastMemory(server)
  await readers.ask('follow', { port, requests: requestsAt(dialects.length, () => 'now') })
  await fill(half)
  const followed = await leastMemory(server)
  await readers.ask('close')
  const late = (n) => events - 2000 + 30 * (n % 60)
  await readers.ask('follow', { port, requests: requestsAt(dialects.length * joinings.length, late) })
  const joined = await leastMemory(server)
  await readers.ask('close')
  const early = (n) => Math.floor((events * (n + 1)) / (stalled * 4))
  await readers.ask('stall', { port, requests: requestsAt(stalled, early) })
  const withStalled = await leastMemory(server)
  const snapshot = await fetch(`http://127.0.0.1:${port}/v1/sessions/${session}`)
  const windowBytes = (await snapshot.text()).length
  for (const child of [load, readers]) await child.end()
  await server.stop()
  const ratios = { written, followed, joined, stalled: withStalled }
  for (const [name, bytes] of Object.entries(ratios)) ratios[name] = (bytes - start) / windowBytes
  return {
    ...ratios,
    windowKilobytes: windowBytes / 1000,
    perStalled: (withStalled - written) / stalled / 1000,
  }
}

/** `count` requests in all dialects and with all joinings in turn. */
function requestsAt(count, placeOf) {
  return Array.from({ length: count }, (_, n) => {
    const dialect = dialects[n % dialects.length]
    const joining = joinings[Math.floor(n / dialects.length) % joinings.length]
    const query = `dialect=${dialect}&after=${placeOf(n)}${joining}`
    return get(`/v1/sessions/${session}/events?${query}`, 'text/event-stream')
  })
}
