import { createHash } from 'node:crypto'
import { encodeSse } from '@sluice/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { endSession } from '../testing/publish.ts'
import { rounds } from '../testing/rounds.ts'
import { until } from '../testing/until.ts'
import { openStalledSocket, openStalledSse } from './stalled-reader.ts'

const KiB = 1024
const MiB = 1024 * KiB
const session = 'sess_full'
const dialect = 'stream-event'
const readers = 50
const totalBytes = (rounds > 1 ? 100 : 25) * 1_000_000
/** What design allows: all rings together, and for each stalled reader what is beyond its socket. */
const allowedBytes = 64 * MiB + readers * 256 * KiB
/** A heap of the collector's making is larger or smaller from run to run: as a part of the control's memory. */
const slack = 0.5

/** Event `n`: an unknown type, of which a session keeps nothing but the entry. */
function textOf(n: number, bytes: number): string {
  return `{"type":"blob","data":{"n":${n},"fill":"${String(n % 10).repeat(bytes)}"}}`
}

/** Writes everything and ends the session. Answers what a reader of either transport must have. */
async function writeAll(gateway: GatewayProcess, eventBytes: number): Promise<{ sse: string; ws: string }> {
  const digests = { sse: createHash('sha256'), ws: createHash('sha256') }
  const count = Math.ceil(totalBytes / eventBytes)
  const perRequest = Math.max(1, Math.floor(MiB / eventBytes))
  for (let n = 0; n < count; ) {
    const lines: string[] = []
    for (; n < count && lines.length < perRequest; n += 1) {
      const text = textOf(n, eventBytes)
      lines.push(text)
      digests.sse.update(encodeSse({ data: text, id: String(n) }))
      digests.ws.update(`${n === 0 ? '' : ','}{"cursor":"${n}","frame":${text}}`)
    }
    const response = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=${dialect}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    })
    expect(await response.json()).toMatchObject({ accepted: lines.length, refused: [] })
  }
  await endSession(gateway.url, session)
  digests.sse.update(
    encodeSse({ event: 'sluice.end', id: String(count), data: JSON.stringify({ outcome: 'completed' }) }),
  )
  return { sse: digests.sse.digest('hex'), ws: digests.ws.digest('hex') }
}

async function startEmpty(): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ settings: { SLUICE_HEARTBEAT_MS: '1h' } })
  onTestFinished(() => gateway.remove())
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ id: session })
  const response = await fetch(`${gateway.url}/v1/sessions`, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
  return gateway
}

async function countStalled(gateway: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const [, count] = /^sluice_stalled_subscribers (\d+)$/m.exec(text) ?? []
  if (count === undefined) throw new Error(`no count of stalled readers in: ${text}`)
  return Number(count)
}

describe.each([
  ['2 KiB', 2 * KiB],
  ['1 MiB', MiB - 100],
])('50 readers who take nothing while events of %s are written', (_size, eventBytes) => {
  test('cost the gateway no more than its design says, and get everything once they read on', async () => {
    const control = await startEmpty()
    await writeAll(control, eventBytes)
    const { peakBytes: controlBytes } = await control.memory()
    await control.kill()

    const gateway = await startEmpty()
    const request = { url: gateway.url, session, dialect }
    const opened = Array.from({ length: readers }, async (_, index) =>
      index % 2 === 0
        ? { transport: 'sse' as const, reader: await openStalledSse(request) }
        : { transport: 'ws' as const, reader: await openStalledSocket(request) },
    )
    const stalled = await Promise.all(opened)
    const expected = await writeAll(gateway, eventBytes)
    await until(async () => (await countStalled(gateway)) === readers)
    const { peakBytes: stalledBytes } = await gateway.memory()
    const digests = await Promise.all(stalled.map(({ reader }) => reader.readOn()))
    const { peakBytes: readBytes } = await gateway.memory()

    expect(digests).toEqual(stalled.map(({ transport }) => expected[transport]))
    const inMiB = [controlBytes, stalledBytes, readBytes].map((bytes) => Math.round(bytes / MiB))
    console.info(`${totalBytes / 1e6} MB: peak without readers, stalled, read on (MiB): ${inMiB.join(', ')}`)
    expect(readBytes).toBeLessThan(controlBytes * (1 + slack) + allowedBytes)
    expect(gateway.errors()).toBe('')
  })
})
