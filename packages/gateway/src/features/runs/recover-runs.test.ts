import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Log, openLmdbLog } from '@sluice/log'
import { omitUndefined, type RunProcess } from '@sluice/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { callerWith, openTestKernel, type TestKernel } from '../../testing/open-test-kernel.ts'
import { createScriptedAgent, hosted, piece } from '../../testing/scripted-agent.ts'
import { startGateway } from '../../testing/start-gateway.ts'
import { until } from '../../testing/until.ts'

const ada = callerWith('ada', 'run', 'subscribe', 'answer')
const left: RunProcess = { pid: 4711, startMark: '123', marker: 'm' }
let directory: string
let log: Log
let gates: TestKernel[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-recover-'))
  log = await openLmdbLog({ directory, minFreeBytes: 0 })
  gates = []
})
afterEach(async () => {
  for (const gate of gates) await gate.close()
  await log.close()
  await rm(directory, { recursive: true })
})

const busy = createScriptedAgent(async ({ say, host, untilCancelled }) => {
  await host.onProcess?.(left)
  say(piece('half of'))
  say({ kind: 'question-open', question: 'confirmation', token: 'tok', text: 'Really?' })
  await untilCancelled()
  return undefined
})

async function open(endProcess?: (process: RunProcess) => Promise<boolean>, on = log): Promise<TestKernel> {
  const gate = await openTestKernel({
    log: on,
    agents: { busy: hosted(busy) },
    ...omitUndefined({ endProcess }),
  })
  gates.push(gate)
  return gate
}

/** Leaves the log of a crashed gateway with one active run and one that waits. */
async function leaveTwo(): Promise<readonly [active: string, queued: string]> {
  const before = await open()
  const active = await before.runs.begin(ada, { name: 'busy' }, { prompt: 'a', context: 'c' })
  await before.has(active.session.id, 3)
  const queued = await before.runs.begin(ada, { name: 'busy' }, { prompt: 'b' })
  return [active.session.id, queued.session.id]
}

test('what a crash leaves is ended: first the processes, then the sessions', async () => {
  const [active, queued] = await leaveTwo()
  const marks = (await log.marks('run/')).map(({ name, value }) => [name, value])
  expect(marks).toEqual(
    expect.arrayContaining([
      [`run/${active}`, { agent: 'busy', process: { ...left } }],
      [`run/${queued}`, { agent: 'busy' }],
    ]),
  )
  await log.close()
  log = await openLmdbLog({ directory, minFreeBytes: 0 })
  const order: string[] = []
  const after = await open(async (process) => {
    expect(process).toEqual(left)
    order.push((await log.head(active))?.endedAt === undefined ? 'process while open' : 'process while ended')
    return true
  })
  await after.runs.start()
  expect(order).toEqual(['process while open'])
  for (const id of [active, queued])
    expect((await after.events(id)).at(-1)).toMatchObject({
      kind: 'session-end',
      outcome: 'failed',
      error: { code: 'gateway_restarted', recoverable: true },
    })
  expect((await after.entries(active)).at(-1)).toMatchObject({ direction: 'system' })
  expect((await after.events(active)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['question-close', 'text-end']),
  )
  expect(after.kernel.questions.openCount).toBe(0)
  expect(await log.marks('run/')).toEqual([])
  expect(after.lines.map(({ msg }) => msg)).toContain('a process of a run was left behind, and is ended')
})

test('a run that was recovered can be followed by another in its context', async () => {
  await leaveTwo()
  const after = await open()
  await after.runs.start()
  const next = await after.runs.begin(ada, { name: 'busy' }, { prompt: 'again', context: 'c' })
  expect(next.isNew).toBe(true)
})

test('a process that cannot be ended keeps no session open', async () => {
  const [active] = await leaveTwo()
  const after = await open(async () => {
    throw new Error('not permitted')
  })
  await after.runs.start()
  expect((await after.events(active)).at(-1)).toMatchObject({ error: { code: 'gateway_restarted' } })
})

test('a store that takes nothing yet keeps no gateway from starting, and the sessions end when it does', async () => {
  const [active] = await leaveTwo()
  const faulty = createFaultyLog(log)
  const after = await open(undefined, faulty)
  faulty.fail('storage_full')
  await after.runs.start()
  expect((await after.events(active)).at(-1)).toMatchObject({ kind: 'question-open' })
  faulty.fail(undefined)
  await until(async () => {
    after.clock.advance(5_000)
    return (await log.marks('run/')).length === 0
  })
  expect((await after.events(active)).at(-1)).toMatchObject({ error: { code: 'gateway_restarted' } })
})

test('a mark without a session is forgotten, and one of an ended session changes nothing', async () => {
  const [active] = await leaveTwo()
  const before = gates[0]
  const session = await before?.kernel.directory.find(active)
  await session?.write((writer) =>
    writer.make(() => [{ kind: 'session-end', outcome: 'completed' }], {
      direction: 'event',
      source: { dialect: 'sluice', producer: 'busy' },
    }),
  )
  const entries = await before?.entries(active)
  const lease = await log.openWriter('runs')
  const marks = { 'run/sess_never': { agent: 'busy' } }
  await log.append({ lease, firstSeq: 0, records: [], at: 1, marks })
  const ended: number[] = []
  const after = await open(async ({ pid }) => {
    ended.push(pid)
    return false
  })
  await after.runs.start()
  expect(await log.marks('run/')).toEqual([])
  expect(await after.entries(active)).toEqual(entries)
  expect(await log.head('sess_never')).toBeUndefined()
  // Its process may have survived it.
  expect(ended).toEqual([left.pid])
})

test('a gateway recovers before it listens, and ends its own runs when it closes', async () => {
  const [active] = await leaveTwo()
  const ended: number[] = []
  const gateway = await startGateway({
    log,
    agents: { busy: hosted(busy) },
    endProcess: async ({ pid }) => ended.push(pid) > 0,
  })
  expect(ended).toEqual([left.pid])
  expect((await log.head(active))?.endedAt).toBeDefined()
  const response = await gateway.post('/v1/agents/busy/runs', { prompt: 'c', session: 'sess_last' })
  expect(response.status).toBe(201)
  const closed = gateway.gateway.close()
  await until(async () => (await log.marks('run/')).length === 0)
  gateway.clock.advance(10_000)
  await closed
  const [record] = (await log.read('sess_last', 0, { maxBytes: 1 << 20 })).slice(-1)
  expect(Buffer.from(record?.bytes ?? []).toString()).toContain('gateway_stopped')
})
