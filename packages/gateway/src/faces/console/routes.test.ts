import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRawRequest } from '../../testing/raw-request.ts'
import { readJson, type StartedGateway, startGateway } from '../../testing/start-gateway.ts'

const html =
  '<!doctype html><title>Console</title><script type="module" src="/assets/index-a1B2_c3-.js"></script>'
const script = `// ${'the same words again and again. '.repeat(200)}\n`

let folder: string
let gateway: StartedGateway

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-console-'))
  write('secret.txt', 'secret')
  write('console/index.html', html)
  write('console/favicon.svg', '<svg/>')
  write('console/notes.txt', 'not served')
  write('console/assets/index-a1B2_c3-.js', script)
  write('console/assets/plain.css', 'p{}')
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'console/assets/linked.js'))
  gateway = await startGateway({ console: join(folder, 'console') })
})

afterEach(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  gateway.request(path, { headers: { 'accept-encoding': 'identity', ...headers } })
const codeOf = async (response: Response) => (await readJson(response))['code']

describe('the page', () => {
  test.each(['/', '/?x=1', '/sessions/sess_a', '/sessions/a%2Fb', '/conversations/talk%201'])(
    'is at %s, under a strict policy',
    async (path) => {
      const response = await ask(path)
      expect([response.status, await response.text()]).toEqual([200, html])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
          "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      )
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(response.headers.get('permissions-policy')).toBe('camera=(), microphone=(), geolocation=()')
    },
  )

  test('needs no credential, wherever the gateway listens', async () => {
    for (const path of ['/', '/sessions/sess_a', '/conversations/c', '/favicon.svg', '/assets/plain.css'])
      expect((await ask(path, { authorization: 'Bearer wrong' })).status, path).toBe(200)
  })

  test('takes no address from another route', async () => {
    expect(await codeOf(await ask('/sessions'))).toBe('method_not_allowed')
    expect(await codeOf(await ask('/sessions/sess_a/events'))).toBe('unknown_route')
    expect(await codeOf(await ask('/v1/sessions/sess_a'))).toBe('unknown_session')
  })
})

describe('the files', () => {
  test('that have a hash in their names are kept for good, others are not kept', async () => {
    const hashed = await ask('/assets/index-a1B2_c3-.js')
    expect(await hashed.text()).toBe(script)
    expect(hashed.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(hashed.headers.get('x-content-type-options')).toBe('nosniff')
    for (const path of ['/assets/plain.css', '/favicon.svg'])
      expect((await ask(path)).headers.get('cache-control'), path).toBe('no-store')
  })

  test.each(['br', 'gzip'])(
    'are sent as %s where that is taken, under a tag of their own',
    async (encoding) => {
      const plain = await ask('/assets/index-a1B2_c3-.js')
      for (let times = 0; times < 2; times++) {
        const response = await ask('/assets/index-a1B2_c3-.js', { 'accept-encoding': encoding })
        expect(response.headers.get('content-encoding')).toBe(encoding)
        expect(response.headers.get('vary')).toContain('Accept-Encoding')
        expect(response.headers.get('etag')).not.toBe(plain.headers.get('etag'))
        expect(Number(response.headers.get('content-length'))).toBeLessThan(script.length / 4)
        expect(await response.text()).toBe(script)
      }
      expect((await ask('/', { 'accept-encoding': encoding })).headers.get('content-encoding')).toBeNull()
    },
  )

  test('that the browser has are not sent again', async () => {
    for (const path of ['/', '/assets/index-a1B2_c3-.js', '/favicon.svg']) {
      const etag = (await ask(path)).headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]+"$/)
      for (const known of [etag, `"other", W/${etag}`, '*']) {
        const response = await ask(path, { 'if-none-match': known })
        expect([response.status, await response.text()]).toEqual([304, ''])
        expect(response.headers.get('etag')).toBe(etag)
      }
      expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
    }
  })

  test.each([
    '/assets/nothing.js',
    '/assets/linked.js',
    '/notes.txt',
    '/index.html',
    '/assets/',
    '/assets/..%2Findex.html',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/__proto__',
    '/assets/plain.css%00',
  ])('are none but those of the console: %s', async (path) => {
    const response = await ask(path)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
  })

  test('are not reached with dots in a path that nobody has tidied up', async () => {
    const raw = await openRawRequest(
      gateway.port,
      'GET /assets/../../secret.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    )
    expect(await raw.answer('"code"')).toContain('unknown_route')
    raw.close()
  })

  test('stay as they were when the gateway started', async () => {
    write('console/index.html', 'other')
    expect(await (await ask('/')).text()).toBe(html)
  })
})

test('without a console the root tells where everything is, and there are no other addresses of it', async () => {
  const bare = await startGateway()
  expect(await (await bare.request('/')).text()).toContain('Sluice gateway')
  for (const path of ['/sessions/sess_a', '/conversations/a', '/favicon.svg', '/assets/a.js'])
    expect(await codeOf(await bare.request(path)), path).toBe('unknown_route')
  await bare.close()
})

test('a gateway does not start with a console that is not there, or too large', async () => {
  await expect(startGateway({ console: join(folder, 'nowhere') })).rejects.toMatchObject({
    code: 'bad_config',
  })
  write('console/assets/large.js', 'x'.repeat(17 * 1024 * 1024))
  await expect(startGateway({ console: join(folder, 'console') })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('larger than 16 MiB'),
  })
})
