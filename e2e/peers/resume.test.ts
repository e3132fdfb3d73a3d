import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findProgram } from '../client/find-program.ts'
import { findChromium, launchChromium } from '../testing/chromium.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { publishText } from '../testing/publish.ts'
import { openInChromium } from './chromium-reader.ts'
import { openClient } from './client-reader.ts'
import { openCurl } from './curl-reader.ts'
import { openEventSource } from './eventsource-reader.ts'
import { addExpiringKey, post, readAll } from './gateway-requests.ts'
import type { OpenReader, StockReader } from './stock-reader.ts'

const chromium = findChromium()
const curl = findProgram(['curl'], 'apt install curl')

describe('across a restart of the gateway', () => {
  let gateway: GatewayProcess
  let browser: Browser
  const readers = new Map<string, StockReader>()
  beforeAll(async () => {
    if (chromium !== undefined) browser = await launchChromium(chromium)
    gateway = await startGatewayProcess()
  })
  afterEach(async () => {
    for (const reader of readers.values()) await reader.close()
    readers.clear()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway.remove()
  })

  /** Every client that is installed. */
  const clients: Readonly<Record<string, OpenReader>> = {
    ...(chromium === undefined ? {} : { 'EventSource of Chromium': (url) => openInChromium(browser, url) }),
    'EventSource of npm': openEventSource,
    ...(curl === undefined ? {} : { 'curl -N': (url) => openCurl(url) }),
    'our client over server-sent events': (url) => openClient(url, 'sse'),
    'our client over WebSocket': (url) => openClient(url, 'ws'),
  }

  function say(session: string, text: string): Promise<unknown> {
    const event = { type: 'answer_chunk', data: { content: text } }
    return publishText(gateway.url, session, { dialect: 'stream-event', text: JSON.stringify(event) })
  }

  async function waitForFrames(count: number): Promise<void> {
    for (const [name, reader] of readers)
      await expect.poll(async () => (await reader.frames()).length, { message: name }).toBe(count)
  }

  test.each([
    ['kill -9', 'sess_killed', () => gateway.kill()],
    ['SIGTERM', 'sess_terminated', () => gateway.terminate()],
  ] as const)('every stock client reads on by itself: %s', async (_ending, session, end) => {
    for (const text of ['One ', 'two ', '🚂 three ']) await say(session, text)
    for (const [name, open] of Object.entries(clients))
      readers.set(name, await open(`${gateway.url}/v1/sessions/${session}/events`))
    await waitForFrames(3)
    await say(session, 'four ')
    await waitForFrames(4)
    await end()
    await gateway.restart()
    await say(session, 'five ')
    await waitForFrames(5)
    await say(session, 'six.')
    await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
    const expected = await readAll(gateway.url, session)
    expect(expected.length).toBe(7)
    for (const [name, reader] of readers) {
      // Nothing follows the end: 204 stops a client that would reconnect forever.
      expect.soft([undefined, 204], name).toContain(await reader.stopped)
      expect.soft(await reader.outcome(), name).toBe('completed')
      expect.soft(await reader.frames(), name).toEqual(expected)
    }
  })

  test.skipIf(chromium === undefined)(
    'a browser with a ticket reads on while the credential behind it holds, and is closed when that has expired',
    async () => {
      const session = 'sess_ticketed'
      const { key, expire } = addExpiringKey(gateway)
      await say(session, 'One ')
      const { ticket } = (await post(gateway.url, '/v1/tickets', { body: { session }, key })) as {
        ticket: string
      } // http-api.md
      const url = `${gateway.url}/v1/sessions/${session}/events?ticket=${ticket}`
      const page = await openInChromium(browser, url)
      readers.set('Chromium', page)
      await waitForFrames(1)
      await gateway.kill()
      await gateway.restart()
      await say(session, 'two ')
      await waitForFrames(2)
      expect((await page.state()).readyState).toBe(1)
      expire()
      await page.stopped
      const { errors } = await page.state()
      expect(errors).toBeGreaterThan(0)
      await say(session, 'three ')
      expect(await page.state()).toMatchObject({ readyState: 2, errors, frames: { length: 2 } })
      const refused = await fetch(url)
      expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'token_expired' }])
    },
  )

  test.skipIf(curl === undefined)('curl tells a stream that broke off from one that ended', async () => {
    const session = 'sess_exits'
    await say(session, 'One ')
    const reader = openCurl(`${gateway.url}/v1/sessions/${session}/events`)
    readers.set('curl', reader)
    await waitForFrames(1)
    await gateway.terminate()
    await expect.poll(() => reader.exits.length).toBeGreaterThan(0)
    const [first] = reader.exits
    expect(first).toSatisfy((code) => code === 18 || code === 56) // CURLE_PARTIAL_FILE, CURLE_RECV_ERROR
    await gateway.restart()
    await say(session, 'two ')
    await waitForFrames(2)
    const before = reader.exits.length
    await post(gateway.url, `/v1/sessions/${session}/end`, { body: {} })
    expect(await reader.stopped).toBe(204)
    expect(reader.exits.slice(before)).toEqual([0, 0])
  })
})
