import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { groupMembers } from '../../packages/agents/src/process/group-members.ts'
import { print } from '../../packages/agents/src/testing/cli-script.ts'
import type { FakeStep } from '../../packages/agents/src/testing/fake-program.ts'
import { until } from '../testing/until.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { claudeScript } from './native-scripts.ts'
import { readEnd } from './read-session.ts'

const staying: readonly FakeStep[] = [
  { grandchild: 'detached-output' },
  ...print(claudeScript.begin('go'), claudeScript.text('I stay.')),
  { hang: true },
]
const stubborn: readonly FakeStep[] = [{ ignore: 'SIGTERM' }, { ignore: 'SIGINT' }, ...staying]
const config = { permissions: 'deny' }

let gateway: AgentGateway
afterEach(() => gateway.remove())

interface Live {
  readonly session: string
  /** The process group of its program and of what that started. */
  readonly group: number
}

/** Starts a run, and waits until its program and its child are at work. */
async function begin(agent: string): Promise<Live> {
  const { id } = await gateway.client.agents.run(agent, { prompt: 'go' })
  const group = (): number => gateway.program(agent).call()?.pid ?? 0
  await until(async () => group() > 0 && (await groupMembers(group()))?.length === 2)
  await until(async () => JSON.stringify(await gateway.client.snapshot(id)).includes('I stay.'))
  return { session: id, group: group() }
}

const isGone = async ({ group }: Live): Promise<boolean> => (await groupMembers(group))?.length === 0

describe('a gateway that is killed while programs run', () => {
  test('comes back, ends them and what they started, and tells that their runs were cut off', async () => {
    gateway = await startAgentGateway({
      soft: { type: 'claude_code', steps: staying, config },
      stubborn: { type: 'claude_code', steps: stubborn, config },
      theirs: { type: 'claude_code', steps: staying, config },
    })
    const runs = [await begin('soft'), await begin('stubborn')]
    // The same program, but not of a run.
    const other = spawn(gateway.program('theirs').path, { detached: true, stdio: 'ignore' })
    await once(other, 'spawn')
    const theirs = { session: '', group: other.pid ?? 0 }
    await until(async () => (await groupMembers(theirs.group))?.length === 2)

    await gateway.end('SIGKILL')
    for (const { group } of runs) expect(await groupMembers(group)).toHaveLength(2)
    await gateway.restart()
    for (const run of runs) {
      expect(await isGone(run)).toBe(true)
      expect(await readEnd(gateway.url, run.session)).toMatchObject({
        outcome: 'failed',
        error: { code: 'gateway_restarted' },
      })
    }
    expect(await groupMembers(theirs.group)).toHaveLength(2)

    // Once is enough: the next start leaves them alone.
    const { seq } = (await gateway.client.snapshot(runs[0]?.session ?? '')).session
    await gateway.end('SIGKILL')
    await gateway.restart()
    expect((await gateway.client.snapshot(runs[0]?.session ?? '')).session.seq).toBe(seq)
  })
})

describe('a gateway that is stopped while programs run', () => {
  test('ends them, those that wait too, and exits cleanly', async () => {
    gateway = await startAgentGateway({
      soft: { type: 'claude_code', steps: staying, config: { ...config, concurrency: 1 } },
    })
    const run = await begin('soft')
    const waiting = await gateway.client.agents.run('soft', { prompt: 'later' })
    expect(await gateway.end('SIGTERM')).toBe(0)
    expect(await isGone(run)).toBe(true)
    await gateway.restart()
    for (const session of [run.session, waiting.id])
      expect(await readEnd(gateway.url, session)).toMatchObject({
        outcome: 'failed',
        error: { code: 'gateway_stopped' },
      })
  })
})

test('a gateway that is stopped kills a program that does not listen, and has stored its end when it exits', async () => {
  const agents = { stubborn: { type: 'claude_code', steps: stubborn, config } }
  gateway = await startAgentGateway(agents, { drainMs: '100ms' })
  const run = await begin('stubborn')
  expect(await gateway.end('SIGINT')).toBe(0)
  expect(await isGone(run)).toBe(true)
  await gateway.restart()
  expect(await readEnd(gateway.url, run.session)).toMatchObject({ error: { code: 'gateway_stopped' } })
  expect(gateway.errors()).not.toContain('runs were cut off by a restart')
})

test('a process that has escaped from a run with its pipes holds up neither the run nor the exit', async () => {
  const steps: readonly FakeStep[] = [
    ...print(claudeScript.begin('go'), claudeScript.text('I go.')),
    { escape: 'escaped.pid' },
    ...print(claudeScript.success),
  ]
  gateway = await startAgentGateway({ leaving: { type: 'claude_code', steps, config } })
  const { id } = await gateway.client.agents.run('leaving', { prompt: 'go' })
  expect(await readEnd(gateway.url, id)).toMatchObject({ outcome: 'completed' })
  expect(await gateway.end('SIGTERM')).toBe(0)
  const pid = Number(await readFile(join(gateway.program('leaving').folder, 'escaped.pid'), 'utf8'))
  // It outlived the gateway.
  expect(process.kill(pid, 'SIGKILL')).toBe(true)
})

describe('a cancel over HTTP', () => {
  test('ends a program that does not listen, with what it started', async () => {
    gateway = await startAgentGateway({ stubborn: { type: 'claude_code', steps: stubborn, config } })
    const run = await begin('stubborn')
    const cancelled = await fetch(`${gateway.url}/v1/sessions/${run.session}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.localKey}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(cancelled.status).toBe(202)
    expect(await readEnd(gateway.url, run.session)).toMatchObject({ outcome: 'cancelled' })
    await until(() => isGone(run))
  })
})
