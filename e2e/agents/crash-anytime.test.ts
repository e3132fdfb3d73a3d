import { readdir, readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { groupMembers } from '../../packages/agents/src/process/group-members.ts'
import { runs } from '../../packages/agents/src/testing/runs.ts'
import { until } from '../testing/until.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { readEvents } from './read-session.ts'

const outputs = 8
const moments = ['asked', 'begun', 'started', 'speaking'] as const
type Moment = (typeof moments)[number]

let gateway: AgentGateway
beforeAll(async () => {
  const said = (index: number) => ({ agent_kind: 'fake', kind: 'Status', message: `said ${index}` })
  gateway = await startAgentGateway({
    speaker: {
      type: 'command',
      config: { dialect: 'agent-event' },
      // Without its prompt it does nothing, and ends when its input ends.
      steps: [
        { awaitLine: 'go' },
        { grandchild: 'detached-output' },
        ...Array.from({ length: outputs }, (_, index) => ({ print: said(index) })),
        { hang: true },
      ],
    },
  })
})
afterAll(() => gateway.remove())

/** Asks for a run and waits until it has reached this moment. */
async function runTo(moment: Moment, session: string): Promise<void> {
  const before = gateway.program('speaker').call()?.pid
  const asked = fetch(`${gateway.url}/v1/agents/speaker/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'go\n', session }),
  })
  if (moment === 'asked') {
    asked.catch(() => {}) // it may be cut off
    return
  }
  expect((await asked).status).toBe(201)
  if (moment === 'begun') return
  await until(() => gateway.program('speaker').call()?.pid !== before)
  if (moment === 'started') return
  await until(async () => (await gateway.client.snapshot(session)).session.seq >= outputs / 2)
}

test('a gateway that is killed at any moment of a run comes back with its end and without its program', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...moments), async (moment) => {
      count += 1
      const session = `sess_crash${count}`
      await runTo(moment, session)
      await gateway.end('SIGKILL')
      await gateway.restart()

      const { sessions } = await gateway.client.sessions.list()
      const isKnown = sessions.some(({ id }) => id === session)
      // Acknowledged runs exist; others may.
      if (moment !== 'asked') expect(isKnown).toBe(true)
      if (isKnown) {
        const events = await readEvents(gateway.url, session)
        expect(events.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'gateway_restarted' } })
        const told = events.flatMap((event) => (event.kind === 'notice' ? [event.text] : []))
        expect(told).toEqual(told.map((_, index) => `said ${index}`))
        if (moment === 'speaking') expect(told.length).toBeGreaterThan(0)
      }
      const { path, call } = gateway.program('speaker')
      await until(async () => (await processesOf(path)).length === 0)
      // If it was cut off early, no program has started.
      const group = call()?.pid
      if (group !== undefined) expect(await groupMembers(group)).toEqual([])
    }),
    { numRuns: runs(moments.length), examples: moments.map((moment) => [moment]), endOnFailure: true },
  )
})

/** The processes that run this program, on Linux; none on systems without /proc. */
async function processesOf(path: string): Promise<readonly string[]> {
  const names = await readdir('/proc').catch(() => [])
  const commands = names.filter((name) => /^\d+$/.test(name)).map((name) => `/proc/${name}/cmdline`)
  const read = await Promise.all(commands.map((file) => readFile(file, 'utf8').catch(() => '')))
  return read.filter((command) => command.split('\0').includes(path))
}
