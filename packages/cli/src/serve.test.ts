import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPty, openPty } from './listen/testing/pty.ts'
import { runSluice, startSluice } from './testing/run-sluice.ts'
import { createDataDirectory, type GatewayProcess, readUntil, startGateway } from './testing/start-gateway.ts'

const patiently = { timeout: 60_000 }

let data = ''
let removeData: () => Promise<void>
let running: GatewayProcess[] = []

beforeEach(async () => {
  const [directory, remove] = await createDataDirectory()
  data = directory
  removeData = remove
})

afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.end('SIGKILL')))
  running = []
  await removeData()
})

async function start(args: readonly string[] = []): Promise<GatewayProcess> {
  const gateway = await startGateway(data, args)
  running.push(gateway)
  return gateway
}

describe('sluice serve', () => {
  test('says where it listens, with the way to sign in and lines to paste, and no secret into a pipe', async () => {
    const gateway = await start(['--log-level', 'trace'])
    const { url, welcome } = gateway
    const key = readFileSync(join(data, 'local.key'), 'utf8').trim()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(welcome).toContain(`Console: ${url}/\nSign in: npx sluice console --data ${data}\n`)
    const link = await runSluice(['console', '--data', data])
    expect(link).toEqual({ code: 0, stdout: `${url}/#token=${key}\n`, stderr: '' })
    for (const name of readdirSync(data).filter((file) => /\.(key|json)$/.test(file)))
      for (const secret of secretsIn(readFileSync(join(data, name), 'utf8')))
        expect(welcome + gateway.errors()).not.toContain(secret)
    const lines = welcome.split('\n').filter((line) => line.startsWith('  '))
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) expect(line).toMatch(/^ {2}npx sluice /)
  })

  test.skipIf(!hasPty())('shows the key to a person at a terminal', async () => {
    const pty = openPty(['serve', '--data', data, '--port', '0', '--log-level', 'warn'])
    try {
      await pty.until('/#token=')
    } finally {
      pty.press('\u0003')
      await pty.exited()
    }
  })

  test('serves the console that lies beside it', async () => {
    const console = new URL('../dist/console/', import.meta.url)
    const page = readFileSync(new URL('index.html', console), 'utf8')
    const { url } = await start()
    const served = await fetch(`${url}/sessions/sess_any`)
    expect([served.headers.get('content-type'), await served.text()]).toEqual([
      'text/html; charset=utf-8',
      page,
    ])
    const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(assets.length).toBeGreaterThan(1)
    for (const path of assets) {
      const asset = await fetch(`${url}${path}`)
      expect(Buffer.from(await asset.arrayBuffer())).toEqual(readFileSync(new URL(`.${path}`, console)))
    }
  })

  test('is found through its data directory, and no longer when it has ended', async () => {
    const gateway = await start()
    const file = join(data, 'gateway.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      url: gateway.url,
      pid: gateway.pid,
      startedAt: expect.any(Number),
      tls: false,
      mac: expect.any(String),
    })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await runSluice(['sessions', '--data', data])).code).toBe(0)
    expect(await gateway.end('SIGTERM')).toBe(0)
    expect(existsSync(file)).toBe(false)
    const { code, stderr } = await runSluice(['sessions', '--data', data])
    expect(code).toBe(5)
    expect(stderr).toContain(`No gateway runs on ${data}`)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 at %s, also with a reader connected',
    async (signal) => {
      const gateway = await start(['--config', writeConfig({ drainMs: '200ms' })])
      const url = `${gateway.url}/v1/sessions/sess_open/events`
      await fetch(`${url}?dialect=stream-event`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"type":"answer_chunk","data":{"text":"Hi"}}',
      })
      const reading = await fetch(url, { headers: { accept: 'text/event-stream' } })
      expect(reading.status).toBe(200)
      expect(await gateway.end(signal)).toBe(0)
      expect(gateway.errors()).toBe('')
      await reading.body?.cancel().catch(() => {})
    },
  )

  test('refuses a second gateway on the same data, and takes over what a killed one left', async () => {
    const first = await start()
    const second = await runSluice(['serve', '--data', data, '--port', '0'])
    expect(second.code).toBe(5)
    expect(second.stderr).toContain('data directory')
    await first.end('SIGKILL')
    const third = await start()
    expect((await fetch(`${third.url}/healthz`)).status).toBe(200)
  })

  test('says that a port is taken, and takes the next one when asked to', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo // it listens on a port
    try {
      const refused = await runSluice(['serve', '--data', data, '--port', String(port)])
      expect(refused.code).toBe(5)
      expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is already in use`)
      const gateway = await start(['--port', String(port), '--next-port'])
      expect(Number(new URL(gateway.url).port)).toBeGreaterThan(port)
    } finally {
      blocker.close()
    }
  })

  test('does not start off loopback without credentials', async () => {
    const { code, stderr } = await runSluice(['serve', '--data', data, '--host', '0.0.0.0', '--port', '0'])
    expect(code).toBe(2)
    expect(stderr).toContain('no credentials are configured')
    expect(existsSync(join(data, 'gateway.json'))).toBe(false)
  })

  test.each([
    { args: ['--port', 'x'], says: 'the flag --port (/port) must be a whole number' },
    { args: ['--tls-cert', 'a.pem'], says: '/tls/key' },
    { args: ['--config', 'no-such.json'], says: 'There is no configuration file' },
    { args: ['extra'], says: 'serve takes options only' },
    { args: ['--prot', '1'], says: 'Did you mean --port?' },
  ])('answers $args with a hint and exit code 2', async ({ args, says }) => {
    const { code, stdout, stderr } = await runSluice(['serve', '--data', data, ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
  })

  test('takes a signal that comes twice at once, as under npx, for one', async () => {
    const gateway = await start()
    process.kill(gateway.pid, 'SIGINT')
    expect(await gateway.end('SIGINT')).toBe(0)
  })

  const stubborn = `process.on('SIGTERM', () => {}); setTimeout(() => {}, 4000);
    console.log('{"type":"answer_chunk","data":{"text":"I stay."}}')`

  test('a second signal ends it at once', async () => {
    const child = startSluice([
      'serve',
      '--data',
      data,
      '--port',
      '0',
      '--log-level',
      'warn',
      '--config',
      writeConfig({
        drainMs: '1h',
        agents: {
          stubborn: { type: 'command', dialect: 'stream-event', command: [process.execPath, '-e', stubborn] },
        },
      }),
    ])
    const welcome = await readUntil(child.stdout, /npx sluice sessions.*\n/)
    const url = /listens on (\S+)/.exec(welcome)?.[1] ?? ''
    const exited = once(child, 'exit')
    // A run that does not end at once keeps the gateway draining.
    const key = readFileSync(join(data, 'local.key'), 'utf8').trim()
    const run = await fetch(`${url}/v1/agents/stubborn/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"prompt":"go"}',
    })
    const { id } = (await run.json()) as { readonly id: string } // see docs/http-api.md
    const snapshot = async (): Promise<string> => (await fetch(`${url}/v1/sessions/${id}`)).text()
    await expect.poll(snapshot, patiently).toContain('I stay.')
    child.kill('SIGTERM')
    await expect
      .poll(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status, patiently)
      .not.toBe(200)
    const again = setInterval(() => child.kill('SIGTERM'), 50)
    const [code] = (await exited) as [number | null]
    clearInterval(again)
    expect(code).toBe(1)
    expect(existsSync(join(data, 'gateway.json'))).toBe(false)
  })
})

const openssl = 'openssl'
const canMakeCertificates = spawnSync(openssl, ['version']).status === 0
const isRequired = process.env['SLUICE_REQUIRE'] === 'all'
if (!canMakeCertificates && !isRequired)
  console.log('skipped: sluice serve over https (needs openssl; on Debian: apt-get install openssl)')

test.skipIf(!canMakeCertificates && !isRequired)('sluice serve speaks https', async () => {
  const cert = join(data, 'cert.pem')
  const key = join(data, 'key.pem')
  execFileSync(
    openssl,
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      .concat('-keyout', key, '-out', cert, '-subj', '/CN=localhost')
      .concat('-addext', 'subjectAltName=IP:127.0.0.1'),
    { stdio: 'ignore' },
  )
  const { url, welcome } = await start(['--tls-cert', cert, '--tls-key', key])
  expect(welcome).toContain('Console: https://127.0.0.1:')
  expect(JSON.parse(readFileSync(join(data, 'gateway.json'), 'utf8'))).toMatchObject({ url, tls: true })
  const request = get(`${url}/healthz`, { ca: readFileSync(cert) })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(200)
})

/** Everything in a text that is long enough to be a secret. */
function secretsIn(text: string): readonly string[] {
  const found = text.match(/[\w-]{32,}/g) ?? []
  return found.map(String)
}

function writeConfig(content: object): string {
  const path = join(data, 'config.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}
