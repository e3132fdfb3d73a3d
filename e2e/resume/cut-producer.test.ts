import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { until } from '../testing/until.ts'

const dialect = 'stream-event'
const textOf = (n: number): string => JSON.stringify({ type: 'log', data: { message: `Ereignis 🎈 ${n}` } })

describe('a producer that dies in the middle of a line', () => {
  let gateway: GatewayProcess
  beforeAll(async () => {
    gateway = await startGatewayProcess()
  })
  afterAll(() => gateway.remove())

  /** Sends the beginning of a request by hand: chunks of a body that never ends. */
  async function sendPart(session: string, first: number, chunks: readonly Buffer[]): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.on('error', () => {}) // the test resets it
    socket.write(
      `POST /v1/sessions/${session}/events?dialect=${dialect} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Content-Type: application/x-ndjson\r\nSluice-Producer: writer; epoch=0; seq=${first}\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n',
    )
    for (const chunk of chunks) {
      socket.write(`${chunk.length.toString(16)}\r\n`)
      socket.write(chunk)
      socket.write('\r\n')
    }
    return socket
  }

  async function lastNumber(session: string): Promise<number | undefined> {
    const response = await fetch(`${gateway.url}/v1/sessions/${session}/producers/writer`)
    if (response.status === 404) return undefined
    const { seq } = (await response.json()) as { readonly seq: number } // see docs/http-api.md
    return seq
  }

  async function readTexts(session: string): Promise<readonly string[]> {
    const response = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=${dialect}&limit=1000`)
    const page = (await response.json()) as { readonly frames: readonly { readonly frame: unknown }[] } // the same
    return page.frames.map(({ frame }) => JSON.stringify(frame))
  }

  test.each(['reset', 'closed'] as const)(
    'has its complete lines stored and goes on behind them, connection %s',
    async (how) => {
      const line = Buffer.from(`${textOf(3)}\n`)
      // The first half ends at every place of the line, even inside a character; the last is the line feed.
      for (let cut = 1; cut < line.length; cut += 1) {
        const session = `sess_${how}${cut}`
        const whole = Buffer.from(`${[0, 1, 2].map(textOf).join('\n')}\n`)
        const socket = await sendPart(session, 0, [whole, line.subarray(0, cut)])
        await until(async () => (await lastNumber(session)) === 2)
        const gone = new Promise((resolve) => socket.once('close', resolve))
        if (how === 'reset') socket.resetAndDestroy()
        else socket.destroy()
        await gone
        const next = ((await lastNumber(session)) ?? -1) + 1
        expect(next).toBe(3)
        const again = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=${dialect}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/x-ndjson',
            'sluice-producer': `writer; epoch=0; seq=${next}`,
          },
          body: `${[3, 4].map(textOf).join('\n')}\n`,
        })
        expect(await again.json()).toMatchObject({ accepted: 2, duplicates: 0, refused: [] })
        expect(await readTexts(session)).toEqual([0, 1, 2, 3, 4].map(textOf))
      }
    },
  )

  test('that sends everything again from the start stores nothing twice', async () => {
    const session = 'sess_again'
    const whole = Buffer.from(`${[0, 1, 2].map(textOf).join('\n')}\n`)
    const socket = await sendPart(session, 0, [whole, Buffer.from('{"type":"lo')])
    await until(async () => (await lastNumber(session)) === 2)
    socket.resetAndDestroy()
    const again = await fetch(`${gateway.url}/v1/sessions/${session}/events?dialect=${dialect}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'sluice-producer': 'writer; epoch=0; seq=0' },
      body: `${[0, 1, 2, 3].map(textOf).join('\n')}\n`,
    })
    expect(await again.json()).toMatchObject({ accepted: 1, duplicates: 3, refused: [] })
    expect(await readTexts(session)).toEqual([0, 1, 2, 3].map(textOf))
  })

  test('and whose gateway dies too finds the same', async () => {
    const session = 'sess_both'
    const whole = Buffer.from(`${[0, 1, 2].map(textOf).join('\n')}\n`)
    const socket = await sendPart(session, 0, [whole, Buffer.from('{"type":"lo')])
    await until(async () => (await lastNumber(session)) === 2)
    await gateway.kill()
    socket.destroy()
    await gateway.restart()
    expect(await lastNumber(session)).toBe(2)
    expect(await readTexts(session)).toEqual([0, 1, 2].map(textOf))
  })
})
