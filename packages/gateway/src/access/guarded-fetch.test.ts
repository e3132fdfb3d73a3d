import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { guardedFetch, guardedStream } from './guarded-fetch.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port // a server on TCP has one
}

const serve = (answer: RequestListener): Promise<number> => listen(createServer(answer))
const hello: RequestListener = (_request, response) => response.end('hello')
const withCode = (code: string, says = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(says) })
const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8')

describe('guardedFetch() refuses', () => {
  test.each([
    'http://example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'not a url',
    '',
  ])('%s for its form', async (url) => {
    const resolve = () => Promise.reject(new Error('was resolved'))
    await expect(guardedFetch(url, { resolve })).rejects.toEqual(withCode('fetch_refused', 'https URL'))
  })

  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
    'https://0.0.0.0/',
  ])('%s for its address', async (url) => {
    await expect(guardedFetch(url)).rejects.toEqual(withCode('fetch_refused', 'private address'))
  })

  test('a name that leads to private addresses only', async () => {
    const resolve = async () => ['10.0.0.1', '::1']
    await expect(guardedFetch('https://keys.example/', { resolve })).rejects.toEqual(
      withCode('fetch_refused'),
    )
    await expect(guardedFetch('https://localhost/')).rejects.toEqual(withCode('fetch_refused'))
  })
})

describe('guardedFetch() with private addresses allowed', () => {
  const allowPrivate = true

  test('gets what is there', async () => {
    const port = await serve((request, response) => {
      response.writeHead(404, { 'content-type': 'text/x-test' })
      response.end(`${request.method} ${request.url} ${request.headers.host} ${request.headers['x-test']}`)
    })
    const got = await guardedFetch(`http://127.0.0.1:${port}/a?b=c`, {
      allowPrivate,
      headers: { 'x-test': 'yes' },
    })
    expect({ ...got, body: text(got.body) }).toEqual({
      status: 404,
      contentType: 'text/x-test',
      body: `GET /a?b=c 127.0.0.1:${port} yes`,
    })
  })

  test('resolves a name once and connects to the address that it checked', async () => {
    const port = await serve((request, response) => response.end(request.headers.host))
    const answers = ['127.0.0.1', '192.0.2.1']
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return [answers[asked.length - 1] ?? '']
    }
    const { body } = await guardedFetch(`http://keys.example:${port}/`, { allowPrivate, resolve })
    expect(text(body)).toBe(`keys.example:${port}`)
    expect(asked).toEqual(['keys.example'])
  })

  test.each([301, 302, 303, 307, 308, 304])('does not follow a %s', async (status) => {
    let requests = 0
    const port = await serve((_request, response) => {
      requests++
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    await expect(guardedFetch(`http://127.0.0.1:${port}/`, { allowPrivate })).rejects.toEqual(
      withCode('fetch_failed', 'redirects'),
    )
    expect(requests).toBe(1)
  })

  test('stops at the size limit, whatever the length that was told', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/endless') {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000))) {}
          response.once('drain', more)
        }
        more()
      } else response.end('x'.repeat(100))
    })
    const url = `http://127.0.0.1:${port}`
    expect((await guardedFetch(url, { allowPrivate, maxBytes: 100 })).body).toHaveLength(100)
    for (const path of ['/', '/endless'])
      await expect(guardedFetch(url + path, { allowPrivate, maxBytes: 99 })).rejects.toEqual(
        withCode('fetch_failed', '99 bytes'),
      )
  })

  test('stops at the time limit: without an answer, in the middle of one, and while the name is resolved', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/half') response.write('half')
    })
    const options = { allowPrivate, timeoutMs: 50 }
    const never = () => new Promise<readonly string[]>(() => {})
    const failed = await Promise.allSettled([
      guardedFetch(`http://127.0.0.1:${port}/`, options),
      guardedFetch(`http://127.0.0.1:${port}/half`, options),
      guardedFetch('http://keys.example/', { ...options, resolve: never }),
    ])
    const reason = withCode('fetch_failed', 'does not answer')
    expect(failed).toEqual(Array(3).fill({ status: 'rejected', reason }))
  })

  test('tells when nothing is there', async () => {
    const port = await serve(hello)
    await new Promise((resolve) => servers.pop()?.close(resolve))
    const failed = await Promise.allSettled([
      guardedFetch(`http://127.0.0.1:${port}/`, { allowPrivate }),
      guardedFetch('http://keys.example/', { allowPrivate, resolve: async () => [] }),
      guardedFetch('http://keys.example/', { allowPrivate, resolve: () => Promise.reject(new Error('no')) }),
    ])
    expect(failed).toEqual(Array(3).fill({ status: 'rejected', reason: withCode('fetch_failed') }))
  })
})

const openssl = 'openssl'
const hasOpenssl = spawnSync(openssl, ['version']).status === 0
if (!hasOpenssl && process.env['SLUICE_REQUIRE'] !== 'all')
  console.warn('Skipped: https in guardedFetch() needs openssl (apt-get install openssl).')

describe.skipIf(!hasOpenssl && process.env['SLUICE_REQUIRE'] !== 'all')('guardedFetch() over https', () => {
  test('checks the certificate for the name, not for the address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
    const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync(
      openssl,
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
        .concat(['-keyout', keyPath, '-out', certPath, '-subj', '/CN=keys.example'])
        .concat(['-addext', 'subjectAltName=DNS:keys.example']),
      { stdio: 'ignore' },
    )
    const cert = readFileSync(certPath, 'utf8')
    const port = await listen(createTlsServer({ key: readFileSync(keyPath), cert }, hello))
    rmSync(folder, { recursive: true })
    const unknown = { allowPrivate: true, resolve: async () => ['127.0.0.1'] }
    const options = { ...unknown, ca: cert }
    expect(text((await guardedFetch(`https://keys.example:${port}/`, options)).body)).toBe('hello')
    const failed = await Promise.allSettled([
      guardedFetch(`https://other.example:${port}/`, options),
      guardedFetch(`https://keys.example:${port}/`, unknown),
    ])
    expect(failed).toEqual(Array(2).fill({ status: 'rejected', reason: withCode('fetch_failed') }))
  })
})

describe('guardedFetch() with a text to post', () => {
  test('posts it', async () => {
    const port = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => response.end(`${request.method} ${chunk.toString('utf8')}`))
    })
    const got = await guardedFetch(`http://127.0.0.1:${port}/`, { allowPrivate: true, post: 'hello' })
    expect(text(got.body)).toBe('POST hello')
  })
})

describe('guardedStream()', () => {
  const { signal } = new AbortController()
  const allowPrivate = true

  test('refuses what guardedFetch() refuses', async () => {
    await expect(guardedStream('http://example.org/', {}, signal)).rejects.toEqual(withCode('fetch_refused'))
    await expect(guardedStream('https://10.0.0.1/', {}, signal)).rejects.toEqual(withCode('fetch_refused'))
    const port = await serve((_request, response) => response.writeHead(302, { location: '/' }).end())
    const redirected = guardedStream(`http://127.0.0.1:${port}/`, { allowPrivate }, signal)
    await expect(redirected).rejects.toEqual(withCode('fetch_failed', 'redirects'))
  })

  test('hands a body over as it comes, beyond the time that its head may take', async () => {
    const answers: ServerResponse[] = []
    const port = await serve((request, response) => {
      if (request.url === '/silent') return
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('one')
      answers.push(response)
    })
    const options = { allowPrivate, timeoutMs: 200 }
    const stream = await guardedStream(`http://127.0.0.1:${port}/`, options, signal)
    expect([stream.status, stream.contentType]).toEqual([200, 'text/event-stream'])
    const chunks = stream.body[Symbol.asyncIterator]()
    expect(text((await chunks.next()).value)).toBe('one')
    // When this one times out, the time for the head of the first has also passed.
    const silent = guardedStream(`http://127.0.0.1:${port}/silent`, options, signal)
    await expect(silent).rejects.toEqual(withCode('fetch_failed'))
    answers[0]?.write('two')
    expect(text((await chunks.next()).value)).toBe('two')
    stream.close()
    await expect(chunks.next()).rejects.toThrow()
  })

  test('gives up when no head comes, and when it is told to', async () => {
    const port = await serve(() => {})
    const slow = guardedStream(`http://127.0.0.1:${port}/`, { allowPrivate, timeoutMs: 20 }, signal)
    await expect(slow).rejects.toEqual(withCode('fetch_failed', 'does not answer'))
    const leaving = new AbortController()
    const left = guardedStream(`http://127.0.0.1:${port}/`, { allowPrivate }, leaving.signal)
    leaving.abort()
    await expect(left).rejects.toEqual(withCode('fetch_failed'))
  })

  test('lets go of a body when it is told to', async () => {
    const port = await serve((_request, response) => response.writeHead(200).write('one'))
    const leaving = new AbortController()
    const stream = await guardedStream(`http://127.0.0.1:${port}/`, { allowPrivate }, leaving.signal)
    const chunks = stream.body[Symbol.asyncIterator]()
    await chunks.next()
    leaving.abort()
    await expect(chunks.next()).rejects.toThrow()
  })
})
