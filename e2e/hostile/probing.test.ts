import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchChromium } from '../testing/chromium.ts'
import { serveBlankPage } from './blank-page.ts'
import { send } from './http-request.ts'
import { localKey, type StartedGateway, startGateway } from './start-gateway.ts'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a page on another port of this machine, in a real browser', () => {
  let gateway: StartedGateway
  let stranger: Awaited<ReturnType<typeof serveBlankPage>>
  let browser: Browser
  beforeAll(async () => {
    gateway = await startGateway()
    stranger = await serveBlankPage()
    browser = await launchChromium(chromium ?? '')
    const path = '/v1/sessions/sess_there/events?dialect=stream-event'
    const body = { type: 'answer_chunk', data: { content: 'x' } }
    expect((await send(gateway.port, { method: 'POST', path, body })).status).toBe(200)
  })
  afterAll(async () => {
    await browser?.close()
    await stranger?.close()
    await gateway?.close()
  })

  async function openPage() {
    const page = await browser.newPage()
    await page.goto(stranger.url)
    return page
  }

  test('cannot find out which sessions there are', async () => {
    const page = await openPage()
    const { 403: refusedBefore = 0, ...othersBefore } = await countAnswers(gateway)
    const outcomes: unknown[] = []
    for (const path of ['sess_there', 'sess_none', 'sess_there/events', 'sess_none/events'])
      outcomes.push(await page.evaluate(probe(`${gateway.url}/v1/sessions/${path}`)))
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
    const { 403: refusedAfter = 0, ...othersAfter } = await countAnswers(gateway)
    expect(refusedAfter - refusedBefore).toBeGreaterThan(30)
    expect(othersAfter).toEqual(othersBefore)
  })

  test.each([
    ['/sessions/sess_there', 200],
    ['/', 200],
    ['/v1/sessions/sess_there', 403],
    ['/v1/sessions', 403],
    ['/metrics', 403],
  ])('leads with a link to %s: %d', async (path, status) => {
    const page = await openPage()
    const arrived = page.waitForResponse(gateway.url + path)
    await page.evaluate(`location.href = ${JSON.stringify(gateway.url + path)}`)
    expect((await arrived).status()).toBe(status)
  })
})

/** How many requests about a session got each status. */
async function countAnswers({ port }: StartedGateway): Promise<Readonly<Record<string, number>>> {
  const { text } = await send(port, { path: '/metrics', key: localKey })
  const line =
    /^sluice_http_request_seconds_count\{route="\/v1\/sessions\/:id[^"]*",method="GET",status="(\d+)"\} (\d+)$/gm
  const counts: Record<string, number> = {}
  for (const [, status = '', count] of text.matchAll(line))
    counts[status] = (counts[status] ?? 0) + Number(count)
  return counts
}

/** A script for a page: every way to load something from a gateway, and what it can see of the outcome. */
function probe(url: string): string {
  return `(async () => {
    const url = ${JSON.stringify(url)}
    const load = (name, place, attributes) => new Promise((resolve) => {
      const element = Object.assign(document.createElement(name), attributes)
      element.addEventListener('load', () => resolve('load ' + element.naturalWidth))
      element.addEventListener('error', () => resolve('error'))
      element.addEventListener('loadeddata', () => resolve('loadeddata'))
      element[place] = url
      document.documentElement.append(element)
    })
    const settled = (promise) => promise.then((response) => response.type + response.status, () => 'error')
    const stream = new EventSource(url)
    const streamed = new Promise((resolve) => {
      stream.addEventListener('open', () => resolve('open'))
      stream.addEventListener('error', () => resolve('error ' + stream.readyState))
    })
    return {
      image: await load('img', 'src'),
      script: await load('script', 'src'),
      style: await load('link', 'href', { rel: 'stylesheet' }),
      preload: await load('link', 'href', { rel: 'preload', as: 'fetch' }),
      prefetch: await load('link', 'href', { rel: 'prefetch' }),
      object: await load('object', 'data'),
      frame: await load('iframe', 'src'),
      video: await load('video', 'src'),
      plain: await settled(fetch(url, { mode: 'no-cors', credentials: 'include' })),
      cors: await settled(fetch(url)),
      events: await streamed,
    }
  })()`
}
