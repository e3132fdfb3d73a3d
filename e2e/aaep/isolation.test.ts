import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { JsonObject } from '@sluice/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { endSession, publishText } from '../testing/publish.ts'
import type { ReadFrame } from '../testing/reading.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames, transports } from '../testing/transports.ts'
import { until } from '../testing/until.ts'
import { type AaepReading, toReply } from './testing/aaep-reading.ts'
import { aaepTransports } from './testing/aaep-transports.ts'
import { openNuisances } from './testing/nuisances.ts'
import { isTerminal } from './testing/told.ts'

const session = 'sess_shared'
const MiB = 1024 * 1024
const lines = 2000 * Math.min(8, rounds)
const sentencesPerLine = 10

const question = { kind: 'question-open', question: 'confirmation', token: 'rpl_amid', text: 'Go on?' }
const isQuestion = ({ reply_token }: JsonObject): boolean => reply_token === question.token

async function start(): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess()
  onTestFinished(() => gateway.remove())
  await publishText(gateway.url, session, {
    dialect: 'sluice',
    text: JSON.stringify({ events: [{ kind: 'session-start' }] }),
  })
  return gateway
}

/** Line `n`: 4 kB of sentences and, now and then, the end of a text and a tool call. */
function toEvents(n: number): readonly JsonObject[] {
  const text = `This is sentence ${n}: it is ${'long, '.repeat(60)}and over. `.repeat(sentencesPerLine)
  const output = `text${Math.floor(n / 50)}`
  const delta = { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' }
  if (n % 50 !== 49) return [delta]
  const call = `call_${n}`
  return [
    delta,
    { kind: 'text-end', output, take: 0 },
    { kind: 'tool-call', call, tool: 'look' },
    { kind: 'tool-result', call, tool: 'look', status: 'success' },
  ]
}

/** Writes all lines; returns the digest of their text. */
async function write(url: string): Promise<string> {
  const hash = createHash('sha256')
  for (let n = 0; n < lines; ) {
    const body: string[] = []
    for (; n < lines && body.length < 200; n += 1) {
      const events = toEvents(n)
      hash.update(String(events[0]?.['text']))
      body.push(JSON.stringify({ events }))
    }
    const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=sluice`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${body.join('\n')}\n`,
    })
    expect(await response.json()).toMatchObject({ accepted: body.length, refused: [] })
  }
  return hash.digest('hex')
}

/** What an AAEP reader received, in numbers. */
function summarize(events: readonly JsonObject[]) {
  const hash = createHash('sha256')
  for (const { chunk } of events) if (typeof chunk === 'string') hash.update(chunk)
  const count = (type: string): number =>
    events.filter((event) => event['type'] === `aaep:agent.${type}`).length
  return {
    text: hash.digest('hex'),
    invoked: count('tool.invoked'),
    completed: count('tool.completed'),
    ends: events.filter(isTerminal).length,
  }
}

const isEnded = (reading: AaepReading) => (): boolean => {
  if (reading.closed !== undefined && reading.closed !== 'over')
    throw new Error(`it ended: ${reading.closed}`)
  return reading.events.some(isTerminal)
}

async function openAaep(gateway: GatewayProcess, terms: JsonObject = {}): Promise<readonly AaepReading[]> {
  const request = { url: gateway.url, key: gateway.localKey, terms, sessions: [session] }
  return Promise.all(Object.values(aaepTransports).map((open) => open(request)))
}

describe('beside those who take nothing, take little, flood and talk nonsense', () => {
  test('everyone else gets everything', async () => {
    const gateway = await start()
    const { url } = gateway
    const stalled = await openAaep(gateway)
    for (const reading of stalled) reading.stall()
    const slow = await openAaep(gateway, { max_events_per_second: 1 })
    const healthy = [
      ...(await openAaep(gateway)),
      ...(await openAaep(gateway, { coalesce_boundaries: ['none'] })),
    ]
    const frames = transportNames.map((): ReadFrame[] => [])
    const readings = transportNames.map((name, index) =>
      transports[name]({ url, session, dialect: 'sluice', after: '-1' }, (frame) =>
        frames[index]?.push(frame),
      ),
    )
    await Promise.all(readings.map(({ opened }) => opened))
    const nuisances = await openNuisances(url, gateway.localKey, session)
    const text = await write(url)
    const tools = lines / 50

    // A critical event also reaches slow subscribers, after everything before it.
    await publishText(url, session, { dialect: 'sluice', text: JSON.stringify({ events: [question] }) })
    for (const reading of slow) {
      await until(() => reading.events.some(isQuestion))
      const before = reading.events.slice(0, reading.events.findIndex(isQuestion))
      expect(summarize(before)).toEqual({ text, invoked: tools, completed: tools, ends: 0 })
      reading.cut()
    }
    await endSession(url, session)
    for (const reading of healthy) {
      await until(isEnded(reading))
      expect(summarize(reading.events)).toEqual({ text, invoked: tools, completed: tools, ends: 1 })
    }
    for (const [index, reading] of readings.entries()) {
      expect(await reading.closed).toMatchObject({ how: 'ended' })
      // The start, the lines, the question and the end.
      expect(frames[index]).toHaveLength(lines + 3)
    }
    expect(nuisances.sent()).toBeGreaterThan(100)
    await nuisances.stop()
    // A subscriber that is late has lost nothing: it continues when it can.
    for (const reading of stalled) {
      expect(reading.events.some(isTerminal)).toBe(false)
      reading.readOn()
      await until(isEnded(reading))
      expect(summarize(reading.events)).toEqual({ text, invoked: tools, completed: tools, ends: 1 })
    }
  })

  const canMeasure = existsSync('/proc/self/status')
  if (!canMeasure) console.warn('skipped: the memory of a process is measured in /proc, which only Linux has')
  const readers = 20

  test.skipIf(!canMeasure)('those who take nothing cost no more than the design says', async () => {
    const measure = async (stalledReaders: number): Promise<number> => {
      const gateway = await start()
      const memory = gateway.watchMemory()
      onTestFinished(() => memory.stop())
      for (let opened = 0; opened < stalledReaders; opened += 2)
        for (const reading of await openAaep(gateway)) reading.stall()
      await write(gateway.url)
      await until(async () => (await countStalled(gateway.url)) === stalledReaders)
      const { peakBytes } = memory
      await gateway.kill()
      return peakBytes
    }
    const controlBytes = await measure(0)
    const stalledBytes = await measure(readers)
    const inMiB = [controlBytes, stalledBytes].map((bytes) => Math.round(bytes / MiB))
    console.info(`peak without and with ${readers} stalled subscribers (MiB): ${inMiB}`)
    expect(controlBytes).toBeGreaterThan(0)
    // The bound of e2e/resume/stalled.test.ts: what the design allows, plus garbage not yet collected.
    expect(stalledBytes).toBeLessThan(controlBytes * 1.5 + 64 * MiB + readers * 256 * 1024)
  })
})

async function countStalled(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, count] = /^sluice_stalled_subscribers (\d+)$/m.exec(text) ?? []
  return Number(count)
}

test('a flood of replies keeps nobody from answering', async () => {
  const gateway = await start()
  const { url } = gateway
  const [reading] = await openAaep(gateway, { supports_confirmation_reply: true })
  if (reading === undefined) throw new Error('no reader')
  const nuisances = await openNuisances(url, gateway.localKey, session)
  await publishText(url, session, { dialect: 'sluice', text: JSON.stringify({ events: [question] }) })
  await until(() => reading.events.some(isQuestion))
  await until(() => nuisances.sent() > 200)
  await reading.say(toReply(question.token, 'accept', reading.subscription))
  await until(() => reading.events.some(({ from_state }) => from_state === 'awaiting_input'))
  await nuisances.stop()
  const response = await fetch(`${url}/v1/sessions/${session}/questions`)
  expect(await response.json()).toMatchObject({ questions: [{ how: 'answered', decision: 'accept' }] })
  expect(gateway.errors()).not.toContain('"level":50')
})
