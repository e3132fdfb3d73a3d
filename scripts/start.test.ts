import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = fileURLToPath(new URL('start.mjs', import.meta.url))
const data = mkdtempSync(join(tmpdir(), 'sluice-start-'))
let blocker: Server
let port = 0

beforeAll(async () => {
  blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  port = (blocker.address() as AddressInfo).port // it listens on a port
})
afterAll(() => {
  blocker.close()
  rmSync(data, { recursive: true, force: true })
})

/** Starts it through a shell, as npm does, and waits for its last output. */
async function start() {
  const env = { PATH: process.env['PATH'], SLUICE_DATA: data, SLUICE_PORT: String(port) }
  const child = spawn('sh', ['-c', `true && '${process.execPath}' '${script}' && true`], { env })
  let output = ''
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (/run demo '.*' --data .*\n/.test(output)) resolve()
      })
  })
  const exited = once(child, 'exit')
  // The pipes stay open as long as any process that holds them lives.
  const closed = once(child, 'close')
  await Promise.race([isReady, exited])
  const { url, pid } = JSON.parse(readFileSync(join(data, 'gateway.json'), 'utf8')) as {
    url: string
    pid: number
  }
  return { child, exited, closed, output: () => output, url, pid }
}

test('npm start takes the next free port, prints lines to paste and plays a session over HTTP', async () => {
  const { exited, output, url, pid } = await start()
  expect(Number(new URL(url).port)).toBeGreaterThan(port)
  const pasted = output()
    .split('\n')
    .filter((line) => line.startsWith('  '))
  expect(pasted.length).toBeGreaterThan(3)
  for (const line of pasted) expect(line).toMatch(/^ {2}npx sluice /)
  expect(output()).toContain(`Console: ${url}/\nSign in: npx sluice console --data ${data}\n`)
  expect(output()).not.toContain(readFileSync(join(data, 'local.key'), 'utf8').trim())
  const session = /tail (sess_\w+) --data \S+\n\s+npx sluice run/.exec(output())?.[1]
  const stream = await fetch(`${url}/v1/sessions/${session}/events?dialect=aaep`, {
    headers: { accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  let read = ''
  for await (const chunk of stream.body ?? []) {
    read += new TextDecoder().decode(chunk)
    if (read.includes('agent.awaiting.clarification')) break
  }
  expect(read).toContain('agent.awaiting.clarification')
  process.kill(pid, 'SIGTERM')
  expect((await exited)[0]).toBe(0)
  expect(existsSync(join(data, 'gateway.json'))).toBe(false)
})

test('npm start ends when the shell that npm put before it has ended', async () => {
  const { child, closed, pid } = await start()
  expect(child.pid).not.toBe(pid)
  child.kill('SIGTERM')
  await closed
  expect(existsSync(join(data, 'gateway.json'))).toBe(false)
})
