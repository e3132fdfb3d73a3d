import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createScriptedAgent, hosted, piece } from '../../../testing/scripted-agent.ts'
import { readEvents, readJson, type StartedGateway, startGateway } from '../../../testing/start-gateway.ts'
import { until } from '../../../testing/until.ts'

let root = ''
let gateway: StartedGateway
let looked = 0
const lines: string[] = []

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-agents-'))
  await mkdir(join(root, 'work', 'inside'), { recursive: true })
  await mkdir(join(root, 'workbench'))
  await symlink(join(root, 'workbench'), join(root, 'work', 'way-out'))
})
afterAll(() => rm(root, { recursive: true }))

const echo = createScriptedAgent(async ({ say, request }) => {
  say(piece(`You said: ${request.prompt}`))
  say({ kind: 'text-end', output: 'out', take: 0 })
  return { handle: 'native-1' }
})

const picky = createScriptedAgent(async () => undefined, {
  kind: 'picky',
  async look() {
    looked += 1
    return { isInstalled: false, hint: 'npm install -g picky', path: '/secret/place' }
  },
  check() {
    throw new SluiceError('unsupported_capability', { message: 'unsupported capability for picky: x.y' })
  },
})

beforeEach(async () => {
  looked = 0
  lines.length = 0
  gateway = await startGateway({
    agents: {
      echo: hosted(echo, { workingDirs: [join(root, 'work')], allowEnv: ['COLOUR'] }),
      picky: hosted(picky),
      demo: hosted({ ...echo, kind: 'demo' }, { isOpen: true }),
      none: hosted(echo, { concurrency: 0, queue: 0 }),
    },
    guests: {
      reader: ['subscribe:*'],
      runner: ['run:agent:echo', 'subscribe:own'],
      labelled: ['run:label:team=blue'],
      nobody: ['publish:own'],
    },
    onLine: (line) => void lines.push(line),
  })
})
afterEach(() => gateway.close())

const run = (agent: string, body: object, headers: Record<string, string> = {}) =>
  gateway.post(`/v1/agents/${agent}/runs`, body, headers)

async function names(headers: Record<string, string>): Promise<readonly unknown[]> {
  const { agents } = await readJson(await gateway.request('/v1/agents', { headers }))
  return (agents as readonly { readonly name: string }[]).map(({ name }) => name) // the answer of the route
}

async function ended(id: unknown): Promise<Readonly<Record<string, unknown>>> {
  const reader = readEvents(
    await gateway.request(`/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } }),
  )
  await reader.rest()
  const { session } = await readJson(await gateway.request(`/v1/sessions/${id}`))
  return session as Readonly<Record<string, unknown>> // the answer of the route
}

describe('GET /v1/agents', () => {
  test('tells each agent, and looks for it no more than every half minute', async () => {
    const get = async () => readJson(await gateway.request('/v1/agents/picky', { headers: gateway.asOwner }))
    expect(await get()).toEqual({
      name: 'picky',
      kind: 'picky',
      title: 'Scripted',
      capabilities: ['agent_api.events', 'agent_api.run'],
      installed: false,
      hint: 'npm install -g picky',
      active: 0,
      queued: 0,
    })
    gateway.clock.advance(29_000)
    await get()
    expect(looked).toBe(1)
    gateway.clock.advance(2_000)
    await get()
    expect(looked).toBe(2)
  })

  test('tells only what the credential may run or read, and where only to those who may run', async () => {
    expect(await names(gateway.asOwner)).toEqual(['echo', 'picky', 'demo', 'none'])
    expect(await names(gateway.as('reader'))).toEqual(['echo', 'picky', 'demo', 'none'])
    expect(await names(gateway.as('runner'))).toEqual(['echo'])
    expect(await names(gateway.as('nobody'))).toEqual([])
    expect(await names({})).toEqual(['echo', 'picky', 'demo', 'none'])
    const echoFor = async (headers: Record<string, string>) =>
      readJson(await gateway.request('/v1/agents/echo', { headers }))
    expect(await echoFor(gateway.as('runner'))).toMatchObject({ workingDirs: [join(root, 'work')] })
    expect(await echoFor({})).not.toHaveProperty('workingDirs')
  })

  test.each(['picky', 'unheard-of', '__proto__'])(
    'tells nobody of %s whom it does not concern',
    async (name) => {
      const response = await gateway.request(`/v1/agents/${name}`, { headers: gateway.as('nobody') })
      expect(response.status).toBe(404)
      expect(await readJson(response)).toMatchObject({ code: 'unknown_agent' })
    },
  )
})

describe('POST /v1/agents/{agent}/runs', () => {
  test('answers the session of the run, which goes on to its end', async () => {
    const asked = { prompt: 'hello', context: 'c1', labels: { team: 'red' }, attributes: { a: [1] } }
    const response = await run('echo', { ...asked, session: 'sess_mine' })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/v1/sessions/sess_mine')
    expect(await readJson(response)).toMatchObject({
      id: 'sess_mine',
      context: 'c1',
      owner: 'local',
      labels: { team: 'red' },
      attributes: { a: [1] },
      title: 'hello',
      agent: { id: 'echo', kind: 'scripted', name: 'Scripted' },
    })
    expect(await ended('sess_mine')).toMatchObject({
      state: 'ended',
      outcome: 'completed',
      agent: { id: 'echo', session: 'native-1' },
    })
  })

  test('answers the same session under the same idempotency key, also to requests at once', async () => {
    const key = { 'idempotency-key': 'k' }
    const both = await Promise.all([run('echo', { prompt: 'a' }, key), run('echo', { prompt: 'a' }, key)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 201])
    const [one, two] = await Promise.all(both.map(readJson))
    expect(one?.['id']).toBe(two?.['id'])
    await ended(one?.['id'])
    const late = await run('echo', { prompt: 'a' }, key)
    expect(late.status).toBe(200)
    expect((await readJson(late))['id']).toBe(one?.['id'])
    const elsewhere = await run('demo', { prompt: 'a' }, key)
    expect(elsewhere.status).toBe(201)
    expect((await readJson(elsewhere))['id']).not.toBe(one?.['id'])
  })

  test('mints a context where none is given', async () => {
    const { context } = await readJson(await run('echo', { prompt: 'a' }))
    expect(context).toMatch(/^ctx_[0-9a-f]{24}$/)
  })

  test.each([
    ['owner', 'picky', 400],
    ['runner', 'echo', 201],
    ['runner', 'picky', 404],
    ['reader', 'echo', 403],
    ['reader', 'demo', 403],
    ['nobody', 'echo', 404],
    ['labelled', 'echo', 404],
    ['anonymous', 'echo', 403],
    ['anonymous', 'demo', 201],
  ])('%s, asking %s to run, gets %i', async (who, agent, status) => {
    const header = who === 'owner' ? gateway.asOwner : who === 'anonymous' ? undefined : gateway.as(who)
    const response = await gateway.request(`/v1/agents/${agent}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...header },
      body: JSON.stringify({ prompt: 'hello' }),
    })
    expect(response.status).toBe(status)
  })

  test('takes a run that its labels allow', async () => {
    const labels = { team: 'blue' }
    expect((await run('echo', { prompt: 'a', labels }, gateway.as('labelled'))).status).toBe(201)
  })

  test.each([
    ['a directory beside the allowed one', { workingDir: '../workbench' }, 'agents.echo.workingDirs'],
    ['one that only begins like it', { workingDir: 'ROOT/workbench' }, 'agents.echo.workingDirs'],
    ['a link that leads out', { workingDir: 'way-out' }, 'agents.echo.workingDirs'],
    ['one that is not there', { workingDir: 'gone' }, 'does not exist'],
    ['a variable that is not allowed', { env: { COLOUR: 'x', PATH: '/evil' } }, 'agents.echo.allowEnv'],
    [
      'a further directory outside',
      { extensions: { 'agent_api.exec.add_dirs.v1': { dirs: ['inside', '../../..'] } } },
      'agents.echo.workingDirs',
    ],
  ])('refuses %s', async (_, asked, told) => {
    const body = JSON.parse(JSON.stringify({ prompt: 'a', ...asked }).replace('ROOT', root))
    const response = await run('echo', body)
    expect(response.status).toBe(400)
    const { code, detail } = await readJson(response)
    expect(code).toBe('invalid_run')
    expect(detail).toContain(told)
    expect(detail).not.toContain('evil')
    expect(await gateway.log.list({ limit: 10 })).toEqual([])
  })

  test('hands on a directory and variables that are allowed', async () => {
    const seen: unknown[] = []
    const agent = createScriptedAgent(async ({ request }) => {
      seen.push(request)
      return undefined
    })
    const other = await startGateway({
      agents: { mine: hosted(agent, { workingDirs: [join(root, 'work')], allowEnv: ['COLOUR'] }) },
    })
    const asked = { prompt: 'a', workingDir: 'inside', env: { COLOUR: 'red' }, timeoutMs: 5 }
    expect((await other.post('/v1/agents/mine/runs', asked)).status).toBe(201)
    await until(() => seen.length === 1)
    expect(seen).toEqual([{ ...asked, workingDir: join(root, 'work', 'inside') }])
    await other.close()
  })

  test.each([
    ['what the agent cannot do', 'picky', { prompt: 'a' }, 400, 'unsupported_capability'],
    ['a prompt without a word', 'echo', { prompt: ' ' }, 400, 'invalid_run'],
    ['a prompt that is no text', 'echo', { prompt: 1 }, 400, 'bad_request'],
    ['a field that is none', 'echo', { prompt: 'a', more: true }, 400, 'bad_request'],
    ['a place where it works nowhere', 'demo', { prompt: 'a', workingDir: '/tmp' }, 400, 'invalid_run'],
    ['one more than it takes', 'none', { prompt: 'a' }, 429, 'agent_busy'],
    ['a prompt beyond the limit', 'echo', { prompt: 'a'.repeat(1 << 20) }, 413, 'event_too_large'],
    ['nobody', 'unheard-of', { prompt: 'a' }, 404, 'unknown_agent'],
  ])('begins nothing when it is asked for %s', async (_, agent, asked, status, code) => {
    const response = await run(agent, asked)
    expect(response.status).toBe(status)
    expect(await readJson(response)).toMatchObject({ code })
    expect(response.headers.has('retry-after')).toBe(status === 429)
    const sessions = await gateway.log.list({ limit: 10 })
    expect(sessions.filter(({ session }) => session.startsWith('sess_'))).toEqual([])
    expect(await gateway.log.marks('run/')).toEqual([])
  })

  test('does not take a session that is there already', async () => {
    await gateway.post('/v1/sessions', { id: 'sess_taken' })
    const response = await run('echo', { prompt: 'a', session: 'sess_taken' })
    expect(await readJson(response)).toMatchObject({ code: 'session_exists' })
    expect(await gateway.log.marks('run/')).toEqual([])
  })

  test('logs ids and codes, and nothing of what was asked or said', async () => {
    const prompt = 'SENTINEL-PROMPT'
    const { id } = await readJson(await run('echo', { prompt, env: { COLOUR: 'SENTINEL-ENV' } }))
    await ended(id)
    await until(() => lines.some((line) => line.includes('a run ended')))
    expect(lines.join('')).toContain(String(id))
    expect(lines.join('')).not.toContain('SENTINEL')
  })
})

test('POST /sessions has the demo run for a client that names no agent', async () => {
  const response = await gateway.request('/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_message: 'Plan a trip' }),
  })
  expect(response.status).toBe(202)
  const { session_id: id } = await readJson(response)
  expect(await ended(id)).toMatchObject({ title: 'Plan a trip', agent: { id: 'demo' } })
})
