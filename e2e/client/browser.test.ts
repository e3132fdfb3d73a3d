import type { ServerResponse } from 'node:http'
import { encodeSse } from '@sluice/protocol'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createNumberingStore } from '../../packages/client/src/testing/numbering-store.ts'
import { openSse } from '../../packages/client/src/testing/peer.ts'
import { type SocketPeer, startSocketPeer } from '../../packages/client/src/testing/socket-peer.ts'
import { servePage } from './browser-page.ts'
import { findProgram } from './find-program.ts'

const executablePath = findProgram(['chromium', 'chromium-browser', 'google-chrome'], 'apt install chromium')

const frame = (seq: number) => encodeSse({ id: String(seq), data: JSON.stringify({ seq }) })
const end = encodeSse({ event: 'sluice.end', data: '{"outcome":"completed"}' })

/** What the page keeps for the test. */
declare global {
  var seen: { statuses: string[]; cursors: string[] }
}

describe.skipIf(executablePath === undefined)('the client in a browser', () => {
  let browser: Browser
  let peer: SocketPeer
  beforeAll(async () => {
    // Not a name of this machine, so that the client believes the browser when that says it is offline.
    const args = ['--no-sandbox', '--host-resolver-rules=MAP gateway.example 127.0.0.1']
    browser = await chromium.launch({ executablePath: executablePath ?? '', args })
  })
  afterAll(() => browser?.close())
  afterEach(() => peer.close())

  async function openPage(start: Promise<SocketPeer>): Promise<Page> {
    peer = await start
    const page = await browser.newPage()
    await page.goto(peer.url.replace('127.0.0.1', 'gateway.example'))
    // As text, so that the test runner does not rewrite the import.
    await page.evaluate(`import('@sluice/client').then(({ createClient }) => {
      globalThis.client = createClient({ url: '/' })
      globalThis.seen = { statuses: [], cursors: [] }
    })`)
    return page
  }

  test('publishes, and subscribes over fetch', async () => {
    const store = createNumberingStore()
    const page = await openPage(
      startSocketPeer(
        () => {},
        (request, response) => {
          if (servePage(request, response)) return
          if (request.method === 'POST') store.handle(request, response)
          else openSse(response, '1').end(frame(0) + frame(1) + end)
        },
      ),
    )
    const items = await page.evaluate(`(async () => {
      await client.publish('sess_a', [{ n: 0 }, { n: 1 }], { dialect: 'demo' })
      const items = []
      for await (const { type, cursor } of client.subscribe('sess_a')) items.push([type, cursor])
      return items
    })()`)
    expect(items).toEqual([
      ['frame', '0'],
      ['frame', '1'],
      ['end', '1'],
    ])
    expect(store.stored).toEqual([{ n: 0 }, { n: 1 }])
    await page.close()
  })

  test('reads twenty sessions at once over its own WebSocket, where fetch has six connections', async () => {
    const sockets = new Map<string, () => void>()
    const page = await openPage(
      startSocketPeer(({ ref = '', type }, socket) => {
        if (type !== 'subscribe') return
        const send = (message: object) => socket.send(JSON.stringify({ ref, ...message }))
        send({ type: 'subscribed', head: '0' })
        send({ type: 'frames', frames: [{ cursor: '0', frame: { seq: 0 } }] })
        sockets.set(ref, () => send({ type: 'end', cursor: '0', outcome: 'completed' }))
        // No stream ends before all have begun: all of them must be open at the same time.
        if (sockets.size === 20) for (const finish of sockets.values()) finish()
      }, servePageOnly),
    )
    const counts = await page.evaluate(`Promise.all(Array.from({ length: 20 }, async (_, index) => {
      let count = 0
      for await (const item of client.subscribe('sess_' + index, { transport: 'ws' })) count += 1
      return count
    }))`)
    expect(counts).toEqual(Array(20).fill(2))
    expect(peer.connections()).toBe(1)
    await peer.emptied()
    await page.close()
  })

  test('makes no request while the browser is offline, and reads on at its cursor when that is over', async () => {
    let open: ServerResponse | undefined
    const page = await openPage(
      startSocketPeer(
        () => {},
        (request, response) => {
          if (servePage(request, response)) return
          if (request.url.searchParams.get('after') === '-1') {
            open = openSse(response)
            open.write(frame(0))
          } else openSse(response).end(frame(1) + end)
        },
      ),
    )
    const reads = () => peer.requests.filter(({ url }) => url.pathname.endsWith('/events'))
    await page.evaluate(`(async () => {
      const onConnection = ({ status }) => seen.statuses.push(status)
      for await (const { cursor } of client.subscribe('sess_a', { onConnection })) seen.cursors.push(cursor)
    })() && undefined`)
    await page.waitForFunction(() => globalThis.seen.cursors.length === 1)
    await page.context().setOffline(true)
    open?.socket?.resetAndDestroy()
    await page.waitForFunction(() => globalThis.seen.statuses.includes('offline'))
    expect(reads()).toHaveLength(1)
    await page.context().setOffline(false)
    await page.waitForFunction(() => globalThis.seen.statuses.includes('closed'))
    expect(await page.evaluate(() => globalThis.seen.cursors)).toEqual(['0', '1', '1'])
    expect(reads().map(({ url }) => url.searchParams.get('after'))).toEqual(['-1', '0'])
    await page.close()
  })
})

function servePageOnly(...[request, response]: Parameters<typeof servePage>): void {
  if (!servePage(request, response)) response.writeHead(404).end()
}
