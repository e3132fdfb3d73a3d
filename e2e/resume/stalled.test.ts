import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatewayProcess, type MemoryWatch, startGatewayProcess } from '../testing/gateway-process.ts'
import { rounds } from '../testing/rounds.ts'
import { type TransportName, transportNames } from '../testing/transports.ts'
import { until } from '../testing/until.ts'
import { createFullSession, fullSession, writeFullSession } from './full-session.ts'
import { openStalled, type StalledReader } from './stalled-reader.ts'

const KiB = 1024
const MiB = 1024 * KiB
const readers = rounds > 1 ? 50 : 20
const totalBytes = (rounds > 1 ? 100 : 20) * 1_000_000
/** What the design allows: all rings together and, per stalled reader, what is kept beyond its socket. */
const allowedBytes = 64 * MiB + readers * 256 * KiB
/** Garbage that is not yet collected differs from run to run: this much of what the control run takes. */
const slack = 0.5

const canMeasure = existsSync('/proc/self/status')
if (!canMeasure) console.warn('skipped: the memory of a process is measured in /proc, which only Linux has')

async function start(settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  // A heartbeat between two frames would add to what a reader receives.
  const gateway = await startGatewayProcess({ settings: { SLUICE_HEARTBEAT_MS: '1h', ...settings } })
  onTestFinished(() => gateway.remove())
  await createFullSession(gateway.url)
  return gateway
}

function watch(gateway: GatewayProcess): MemoryWatch {
  const memory = gateway.watchMemory()
  onTestFinished(() => memory.stop())
  return memory
}

function openReaders(
  { url }: GatewayProcess,
  count: number,
  names: readonly TransportName[],
): Promise<readonly StalledReader[]> {
  const open = Array.from({ length: count }, (_, index) =>
    openStalled(names[index % names.length] ?? 'sse', { url, ...fullSession }),
  )
  return Promise.all(open)
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
])('readers who take nothing while events of %s are written', (_size, eventBytes) => {
  test.skipIf(!canMeasure)(
    'cost the gateway no more than its design says, and get everything once they read on',
    async () => {
      const control = await start()
      const controlMemory = watch(control)
      await writeFullSession(control.url, totalBytes, eventBytes)
      const controlBytes = controlMemory.peakBytes
      await control.kill()

      const gateway = await start()
      const memory = watch(gateway)
      const stalled = await openReaders(gateway, readers, ['sse', 'ws'])
      const expected = await writeFullSession(gateway.url, totalBytes, eventBytes)
      await until(async () => (await countStalled(gateway)) === readers)
      const stalledBytes = memory.peakBytes
      const digests = await Promise.all(stalled.map((reader) => reader.readOn()))
      const readingBytes = memory.peakBytes

      expect(digests).toEqual(stalled.map(({ name }) => expected[name]))
      const inMiB = [controlBytes, stalledBytes, readingBytes].map((bytes) => Math.round(bytes / MiB))
      console.info(`${totalBytes / 1e6} MB written, peak without readers, stalled, read on (MiB): ${inMiB}`)
      expect(controlBytes).toBeGreaterThan(0)
      expect(readingBytes).toBeLessThan(controlBytes * (1 + slack) + allowedBytes)
      expect(gateway.errors()).toBe('')
    },
  )
})

/** More than the buffers of two sockets hold. */
const behindBytes = 16_000_000
const behindEventBytes = rounds > 1 ? 300 : 3000

test.each([
  ['the log', '1'],
  ['the ring', '64MiB'],
])('readers who fell behind read on from %s, over every transport', async (_place, ringBytes) => {
  const gateway = await start({ SLUICE_LIMITS_RING_BYTES: ringBytes })
  const stalled = await openReaders(gateway, 2 * transportNames.length, transportNames)
  const expected = await writeFullSession(gateway.url, behindBytes, behindEventBytes)
  expect(await countStalled(gateway)).toBe(stalled.length)
  const digests = await Promise.all(stalled.map((reader) => reader.readOn()))
  expect(digests).toEqual(stalled.map(({ name }) => expected[name]))
})
