import type { SluiceEvent } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { expect, onTestFinished, test } from 'vitest'
import { startGatewayProcess } from '../testing/gateway-process.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames } from '../testing/transports.ts'
import { until } from '../testing/until.ts'
import { openStalled } from './stalled-reader.ts'

const readerCount = rounds > 1 ? 300 : 24
/** More readers fill the budget for everything that waits for stalled readers, which is 64 MiB. */
const heapMiB = rounds > 1 ? 128 : 64
const session = 'sess_places'

const say = (output: string, text: string): SluiceEvent => ({
  kind: 'text-delta',
  ...{ output, text, take: 0, position: 0, channel: 'answer' },
})

/** As heavy as the state of a session may be: texts that ended, then one that is open, in small pieces. */
function heavyStart(): readonly SluiceEvent[] {
  const events: SluiceEvent[] = [{ kind: 'session-start' }]
  for (let n = 0; n < 19; n++) {
    const output = `out_${n}`
    for (let piece = 0; piece < 10; piece++) events.push(say(output, 'lorem ipsum. '.repeat(1500)))
    events.push({ kind: 'text-end', output, take: 0 })
  }
  for (let n = 0; n < openPieces; n++) events.push(say('open', `${n} and so on. `))
  return events
}

const openPieces = 3000

async function publish(url: string, events: readonly SluiceEvent[]): Promise<number> {
  const answer = await fetch(`${url}/v1/sessions/${session}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: events.map((event) => `${JSON.stringify({ v: 1, events: [event] })}\n`).join(''),
  })
  const { accepted, cursor } = (await answer.json()) as { readonly accepted: number; readonly cursor: string } // a receipt
  expect(accepted).toBe(events.length)
  return Number(cursor)
}

async function countStalled(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^sluice_stalled_subscribers (\d+)$/m.exec(text)?.[1])
}

test('readers who join a heavy session in every way and take nothing fit into a small heap', async () => {
  const gateway = await startGatewayProcess({
    nodeOptions: [`--max-old-space-size=${heapMiB}`],
    settings: { SLUICE_HEARTBEAT_MS: '1h' },
  })
  onTestFinished(() => gateway.remove())
  const { url } = gateway
  const head = await publish(url, heavyStart())
  // All at one place, each at another place of the open text, and at the head.
  const places = [
    (): number => head - openPieces,
    (n: number): number => head - openPieces + 50 * n,
    () => head,
  ]
  const coalescings = [undefined, 'word', 'sentence', 'paragraph', '40ms']
  const open = Array.from({ length: readerCount }, (_, n) => {
    const at = (list: readonly string[]): string => list[n % list.length] ?? ''
    const place = places[Math.floor(n / dialects.length) % places.length]
    const coalesce = coalescings[n % coalescings.length]
    return openStalled(transportNames[n % transportNames.length] ?? 'sse', {
      ...{ url, session, dialect: at(dialects.map(({ id }) => id)) },
      after: String(Math.min(head, place?.(n % 60) ?? head)),
      ...(coalesce === undefined ? {} : { coalesce }),
    })
  })
  await Promise.all(open)
  // More than the buffers of two sockets hold.
  for (let n = 0; n < 9; n++)
    await publish(url, [
      say(`fill_${n}`, 'x'.repeat(800_000)),
      { kind: 'text-end', output: `fill_${n}`, take: 0 },
    ])
  await until(async () => (await countStalled(url)) === readerCount)
  for (let n = 0; n < 5; n++) await publish(url, [say('open', 'more. ')])
  expect((await fetch(`${url}/v1/sessions/${session}`)).status).toBe(200)
  expect(gateway.errors()).toBe('')
})
