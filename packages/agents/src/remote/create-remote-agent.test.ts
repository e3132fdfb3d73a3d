import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JsonValue, type RunOutput, SluiceError, systemClock } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, expect, test } from 'vitest'
import { playRun } from '../testing/play-run.ts'
import { createRemoteAgent, type RemoteAgentConfig } from './create-remote-agent.ts'
import type { RemoteFetch } from './remote-fetch.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

/** Posts without a guard: the servers of these tests are on loopback. */
const plainFetch: RemoteFetch = (url, { post, headers }, signal) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers })
    signal.addEventListener('abort', () => sent.destroy())
    sent.on('error', reject)
    sent.on('response', (response) =>
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'],
        body: response,
        close: () => sent.destroy(),
      }),
    )
    sent.end(post)
  })

type Answer = (response: ServerResponse, asked: { headers: IncomingMessage['headers']; body: string }) => void

async function serve(answer: Answer, config: Partial<RemoteAgentConfig> = {}) {
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    answer(response, { headers: message.headers, body: Buffer.concat(chunks).toString() })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return createRemoteAgent({
    kind: 'far',
    url: `http://127.0.0.1:${port}/run`,
    dialect: dialectById('sluice'),
    fetch: plainFetch,
    defaults: {},
    timings: { idleMs: 30_000 },
    ...config,
  })
}

const head = (response: ServerResponse, type: string): ServerResponse =>
  response.writeHead(200, { 'content-type': type })
const said = (text: string) => ({ events: [{ kind: 'notice', level: 'info', text }] })
const ended = (outcome = 'completed') => ({ events: [{ kind: 'session-end', outcome }] })
const line = (value: unknown): string => `${JSON.stringify(value)}\n`
const framesOf = (outputs: readonly RunOutput[]): readonly unknown[] =>
  outputs.flatMap((output) => (output.type === 'frame' ? [JSON.parse(output.text)] : []))

test('posts the request, and hands on the frames of an event stream', async () => {
  let seen: unknown
  const agent = await serve(
    (response, { headers, body }) => {
      seen = { body: JSON.parse(body), headers }
      head(response, 'text/event-stream; charset=utf-8')
      response.write(`: hello\n\nevent: x\ndata: ${JSON.stringify(said('a'))}\n\n`)
      response.write('data: {"events":\ndata: [{"kind":"notice","level":"info","text":"b"}]}\n\n')
      response.end(`data: ${JSON.stringify(ended())}\n\ndata: [DONE]\n\n`)
    },
    { headers: { 'X-Team': 'a', Accept: 'nothing' }, extensions: ['agent_api.config.model.v1'] },
  )
  const extensions = { 'agent_api.config.model.v1': 'm' }
  const { outputs, completion } = await playRun(agent, { prompt: 'hello', extensions })
  expect(framesOf(outputs)).toEqual([said('a'), said('b'), ended()])
  expect(outputs.every((output) => output.type === 'frame' && !output.text.includes('\n'))).toBe(true)
  expect(completion).toEqual({ status: { code: 0, signal: null } })
  expect(seen).toEqual({
    body: { prompt: 'hello', extensions },
    headers: expect.objectContaining({
      'content-type': 'application/json',
      accept: 'text/event-stream, application/x-ndjson',
      'x-team': 'a',
    }),
  })
  expect(agent.capabilities).toContain('agent_api.config.model.v1')
})

test('reads lines of JSON, and lets go of the connection at the end of the session', async () => {
  let closed = Promise.resolve()
  const agent = await serve((response) => {
    closed = new Promise((resolve) => response.on('close', resolve))
    head(response, 'application/x-ndjson').write(line(said('a')) + line(ended()) + line(said('late')))
  })
  const { outputs, completion } = await playRun(agent, { prompt: 'x' })
  expect(framesOf(outputs)).toEqual([said('a'), ended()])
  expect(completion).toEqual({ status: { code: 0, signal: null } })
  await closed
})

test('sends the token of a file as it is at the time of the run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-remote-'))
  const tokenFile = join(folder, 'token')
  const seen: unknown[] = []
  const agent = await serve(
    (response, { headers }) => {
      seen.push(headers.authorization)
      head(response, 'application/jsonl').end(line(ended()))
    },
    { tokenFile },
  )
  for (const token of ['one\n', 'two']) {
    writeFileSync(tokenFile, token)
    await playRun(agent, { prompt: 'x' })
  }
  rmSync(folder, { recursive: true })
  expect(seen).toEqual(['Bearer one', 'Bearer two'])
  const { completion } = await playRun(agent, { prompt: 'x' })
  expect(completion).toMatchObject({ message: 'far backend error: credential unreadable' })
})

test.each<[string, Answer, string]>([
  ['a status', (response) => response.writeHead(503).end('SECRET'), 'far backend error: http status 503'],
  [
    'another type',
    (response) => head(response, 'text/html').end(),
    'far backend error: unsupported content type',
  ],
  [
    'an end without a result',
    (response) => head(response, 'application/x-ndjson').end(line(said('a'))),
    'far backend error: ended without a result',
  ],
  [
    'a lost connection',
    (response) => {
      head(response, 'application/x-ndjson').write(line(said('a')), () => response.destroy())
    },
    'far backend error: connection lost',
  ],
  ['no answer', (response) => response.destroy(), 'far backend error: unreachable'],
  [
    'its own word',
    (response) => head(response, 'application/x-ndjson').end(line(ended('failed'))),
    'far failed',
  ],
])('fails by %s, and tells it once', async (_, answer, message) => {
  const { outputs, events, completion } = await playRun(await serve(answer), { prompt: 'x' })
  expect(completion).toMatchObject({ code: 'run_failed', message })
  expect(events).toEqual([
    { kind: 'notice', level: 'error', code: 'run_failed', text: message, meta: { channel: 'error' } },
  ])
  expect(JSON.stringify(outputs)).not.toContain('SECRET')
})

test('fails where the address may not be reached', async () => {
  const refuse: RemoteFetch = () => Promise.reject(new SluiceError('fetch_refused'))
  const { completion } = await playRun(await serve(() => {}, { fetch: refuse }), { prompt: 'x' })
  expect(completion).toMatchObject({ message: 'far backend error: address refused' })
})

test('in a dialect without a last frame the end of the stream completes', async () => {
  const frame = { type: 'answer_chunk', data: { text: 'a' } }
  const agent = await serve((response) => head(response, 'application/x-ndjson').end(line(frame)), {
    dialect: dialectById('stream-event'),
  })
  const { outputs, completion } = await playRun(agent, { prompt: 'x' })
  expect(framesOf(outputs)).toEqual([frame])
  expect(completion).toEqual({ status: { code: 0, signal: null } })
})

test('what is no frame is told by its length, and reading goes on', async () => {
  const agent = await serve((response) =>
    head(response, 'application/x-ndjson').end(`RAW SECRET {\n${line(said('a'))}${line(ended())}`),
  )
  const { outputs, events } = await playRun(agent, { prompt: 'x' })
  expect(events).toMatchObject([{ code: 'malformed_line', text: 'malformed output line (line_bytes=12)' }])
  expect(framesOf(outputs)).toEqual([said('a'), ended()])
})

test.each<[string, Answer]>([
  ['before its answer', () => {}],
  ['in its answer', (response) => head(response, 'application/x-ndjson').flushHeaders()],
])('silence %s is a failure', async (_, answer) => {
  const agent = await serve(answer, { timings: { idleMs: 200 } })
  const { completion } = await playRun(agent, { prompt: 'x' })
  expect(completion).toMatchObject({ message: 'far backend error: idle timeout' })
})

test('fails when its time is over, however much it says', async () => {
  const agent = await serve((response) => {
    head(response, 'text/event-stream')
    const talk = (): void => void response.write(': still here\n\n', () => setImmediate(talk))
    response.on('close', () => response.destroy())
    talk()
  })
  const { completion } = await playRun(agent, { prompt: 'x', timeoutMs: 300 })
  expect(completion).toMatchObject({ message: 'far backend error: timeout' })
})

test('a question excuses silence until it is answered', async () => {
  const clock = createDrivenClock()
  const question = { kind: 'question-open', question: 'confirmation', token: 't', text: 'Go?' }
  const agent = await serve((response) => {
    head(response, 'application/x-ndjson').write(line({ events: [question] }))
  })
  const run = agent.run({ prompt: 'x' }, { clock })
  for await (const output of run.outputs) {
    if (output.type !== 'frame') continue
    await new Promise(setImmediate)
    clock.advance(100_000)
    expect(run.message('more')).toBe(false)
    run.answer({ token: 't', how: 'answered', decision: 'accept' })
    clock.advance(100_000)
  }
  await expect(run.completion).rejects.toMatchObject({ message: 'far backend error: idle timeout' })
})

test.each<[string, Answer]>([
  ['before its answer', () => {}],
  ['in its answer', (response) => head(response, 'application/x-ndjson').write(line(said('a')))],
])('a cancel %s lets go of the connection', async (_, answer) => {
  let closed = Promise.resolve()
  let reach = (): void => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const agent = await serve((response, asked) => {
    closed = new Promise((resolve) => response.on('close', resolve))
    answer(response, asked)
    reach()
  })
  const run = agent.run({ prompt: 'x' }, { clock: systemClock })
  await reached
  run.cancel()
  run.cancel()
  for await (const output of run.outputs) expect(output).toBeUndefined()
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
  await closed
})

test('refuses what it does not take before anything is asked, and says where it is', async () => {
  let isAsked = false
  const agent = await serve(() => {
    isAsked = true
  })
  const extensions = { 'agent_api.config.model.v1': 'm' }
  expect(() => agent.check({ prompt: 'x', extensions })).toThrow(SluiceError)
  expect(() => agent.run({ prompt: ' ' }, { clock: systemClock })).toThrow(SluiceError)
  expect(await agent.look()).toMatchObject({
    isInstalled: true,
    path: expect.stringMatching(/^http:\/\/127/),
  })
  expect(isAsked).toBe(false)
})

test('looks for no directory of this machine, and needs the opt-in for a sandbox from outside', async () => {
  const dirs = 'agent_api.exec.add_dirs.v1'
  const sandbox = 'agent_api.exec.external_sandbox.v1'
  const extensions = [dirs, sandbox]
  const agent = await serve(() => {}, { extensions })
  const check = (asked: Record<string, JsonValue>) => () => agent.check({ prompt: 'x', extensions: asked })
  expect(check({ [dirs]: { dirs: ['/nowhere/at/all'] } })).not.toThrow()
  expect(check({ [dirs]: { dirs: [] } })).toThrow('invalid agent_api.exec.add_dirs.v1.dirs')
  expect(check({ [sandbox]: true })).toThrow(expect.objectContaining({ code: 'run_not_permitted' }))
  const trusting = await serve(() => {}, { extensions, requestsMayRaisePermissions: true })
  expect(() => trusting.check({ prompt: 'x', extensions: { [sandbox]: true } })).not.toThrow()
})

test('tells the session of the agent itself that its frames name', async () => {
  const named = {
    events: [{ kind: 'notice', level: 'info', text: 'begun', meta: { agent: { session: 'h1' } } }],
  }
  const end = { events: [{ kind: 'session-end', outcome: 'completed' }] }
  const agent = await serve((response) => head(response, 'application/x-ndjson').end(line(named) + line(end)))
  const { completion } = await playRun(agent, { prompt: 'x' })
  expect(completion).toEqual({ status: { code: 0, signal: null }, handle: 'h1' })
})
