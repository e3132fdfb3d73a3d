import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { publishText } from '../testing/publish.ts'
import type { ReadFrame, Reading } from '../testing/reading.ts'
import { type TransportName, transports } from '../testing/transports.ts'
import { until } from '../testing/until.ts'

const session = 'sess_drained'
const dialect = 'stream-event'

const textOf = (n: number): string => JSON.stringify({ type: 'log', data: { message: `event ${n}` } })

async function start(settings: Record<string, string> = {}): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ settings })
  onTestFinished(() => gateway.remove())
  return gateway
}

interface Upload {
  send(text: string): void
  end(): void
  readonly answer: Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

/** An NDJSON body that stays open. */
function openUpload(url: string): Upload {
  const asked = request(`${url}/v1/sessions/${session}/events?dialect=${dialect}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  const answer: Upload['answer'] = new Promise((resolve, reject) => {
    asked.on('error', reject)
    asked.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> })
    })
  })
  answer.catch(() => {}) // callers that need the error await it
  return { send: (text) => asked.write(`${text}\n`), end: () => asked.end(), answer }
}

describe('a gateway that is told to stop', () => {
  /** Opens a reader that has the first event and waits for more. */
  async function openReader(gateway: GatewayProcess, name: TransportName): Promise<Reading> {
    const frames: ReadFrame[] = []
    const reading = transports[name]({ url: gateway.url, session, dialect, after: '-1' }, (frame) =>
      frames.push(frame),
    )
    await until(() => frames.length > 0)
    return reading
  }

  test('sends every reader away so that it comes back, and exits with 0', async () => {
    const gateway = await start()
    await publishText(gateway.url, session, { dialect, text: textOf(0) })
    const [sse, ndjson, ws] = await Promise.all([
      openReader(gateway, 'sse'),
      openReader(gateway, 'ndjson'),
      openReader(gateway, 'ws'),
    ])
    expect(await gateway.terminate()).toBe(0)
    expect(await sse.closed).toEqual({ how: 'reset', retryMs: expect.any(Number) })
    expect(await ndjson.closed).toEqual({ how: 'reset' })
    expect(await ws.closed).toEqual({ how: 'clean', code: 1012 })
    expect(gateway.errors()).toBe('')
  })

  test('answers an open upload with what it has of it, and has that after a restart', async () => {
    const gateway = await start()
    const upload = openUpload(gateway.url)
    upload.send(textOf(0))
    await until(async () => (await countFrames(gateway.url)) === 1)
    const exited = gateway.terminate()
    const { status, body } = await upload.answer
    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'closed', retryable: true, accepted: 1, refused: [], cursor: '0' })
    expect(await exited).toBe(0)
    await gateway.restart()
    expect(await countFrames(gateway.url)).toBe(1)
  })

  test('waits for nobody outside, embedded in a program: not for peers, an issuer or an upstream', async () => {
    let asked = 0
    const silent = createServer(() => {
      asked += 1
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo // it listens on a port
    const program = fileURLToPath(new URL('./embedding-program.mjs', import.meta.url))
    const child = spawn(process.execPath, [program, String(port)], { stdio: ['pipe', 'ignore', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await until(() => asked === 2)
    child.stdin.end()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })
})

async function countFrames(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}`)
  if (response.status === 404) return 0
  const page = (await response.json()) as { readonly frames: readonly unknown[] } // see docs/http-api.md
  return page.frames.length
}
