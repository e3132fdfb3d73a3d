import { createClient } from '@sluice/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Peer, startPeer } from '../../packages/client/src/testing/peer.ts'
import { findChromium, launchChromium } from '../testing/chromium.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { servePage } from './browser-page.ts'

const executablePath = findChromium()

describe.skipIf(executablePath === undefined)('a browser, which has six connections to a host', () => {
  let browser: Browser
  let site: Peer
  let gateway: GatewayProcess
  beforeAll(async () => {
    browser = await launchChromium(executablePath ?? '')
    site = await startPeer((request, response) => {
      if (!servePage(request, response)) response.writeHead(404).end()
    })
    gateway = await startGatewayProcess({ settings: { SLUICE_ORIGINS: site.url } })
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.remove()
    await site?.close()
  })

  test('follows the list, a session and its AAEP events in eight clients at once, to the end', async () => {
    const { url, localKey: token } = gateway
    const session = await createClient({ url, token }).createSession({ agent: 'teller' })
    await session.text('Good morning. ')
    await session.flush()
    const page = await browser.newPage()
    await page.goto(site.url)
    // As text, so that the test runner does not rewrite the import.
    const firsts = await page.evaluate(`(async () => {
      const { createClient } = await import('@sluice/client')
      const options = ${JSON.stringify({ url, token, transport: 'ws' })}
      const clients = Array.from({ length: 8 }, () => createClient(options))
      const lists = clients.map((client) => client.sessions.watch())
      const streams = clients.flatMap((client) => [
        client.subscribe('${session.id}'),
        client.subscribeAaep({}, { sessions: ['${session.id}'] }),
      ])
      // Nobody leaves before everybody has something: all of them are open together.
      const firsts = await Promise.all([...lists, ...streams].map((items) => items.next()))
      globalThis.rest = Promise.all(streams.map(async (items) => {
        let last = ''
        for await (const { type } of items) last = type
        return last
      }))
      globalThis.leave = () => Promise.all(lists.map((items) => items.return()))
      return firsts.map(({ value }) => value.type)
    })()`)
    expect(firsts).toEqual([
      ...Array(8).fill('begin'),
      ...Array.from({ length: 8 }, () => ['frame', 'aaep:agent.session.started']).flat(),
    ])
    await session.complete()
    const lasts = await page.evaluate('globalThis.rest')
    expect(lasts).toEqual(Array.from({ length: 8 }, () => ['end', 'aaep:agent.session.completed']).flat())
    await page.evaluate('globalThis.leave()')
    await page.close()
  })
})
