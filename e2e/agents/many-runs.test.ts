import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { readEnd, readFrames } from './read-session.ts'

const runCount = 100
const outputCount = 50

const program = fileURLToPath(new URL('./talking-program.mjs', import.meta.url))
describe('a gateway', () => {
  let gateway: AgentGateway
  let folder: string
  const gate = (): string => join(folder, 'go')
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-many-'))
    const command = [process.execPath, program, String(outputCount), gate()]
    gateway = await startAgentGateway({
      many: {
        type: 'command',
        steps: [],
        config: { command, dialect: 'agent-event', concurrency: runCount, queue: 0 },
      },
      narrow: {
        type: 'command',
        steps: [
          { awaitLine: '"message"' },
          { awaitFile: 'go' },
          {
            printFrom: {
              agent_kind: 'fake',
              kind: 'Status',
              message: '$LINE.parts.0.text',
              data: { index: 0 },
            },
          },
        ],
        config: { dialect: 'agent-event', inputs: true, concurrency: 1, queue: 3 },
      },
    })
  })
  afterAll(async () => {
    await gateway.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function saidIn(session: string): Promise<readonly unknown[]> {
    const frames = await readFrames(gateway.url, session, 'agent-event')
    return frames.flatMap(({ message, data }) => (hasIndex(data) ? [[message, data.index]] : []))
  }
  const saidBy = (prompt: string, count: number): readonly unknown[] =>
    Array.from({ length: count }, (_, index) => [prompt, index])

  test(`has ${runCount} runs at once, and loses, doubles and mixes up nothing`, async () => {
    const prompts = Array.from({ length: runCount }, (_, index) => `run ${index}`)
    const begun = await Promise.all(prompts.map((prompt) => gateway.client.agents.run('many', { prompt })))
    // All are half-way before any may continue.
    await until(async () => {
      const { sessions } = await gateway.client.sessions.list({ limit: runCount })
      return sessions.length === runCount && sessions.every(({ seq }) => seq >= outputCount / 2)
    })
    writeFileSync(gate(), '')
    await Promise.all(
      begun.map(async ({ id }, index) => {
        expect(await readEnd(gateway.url, id)).toMatchObject({ outcome: 'completed' })
        expect(await saidIn(id)).toEqual(saidBy(prompts[index] ?? '', outputCount))
      }),
    )
    await until(async () => (await gateway.client.agents.get('many')).active === 0)
  })

  test('lets runs wait in their order, and refuses those that do not fit into the queue', async () => {
    const prompts = ['first', 'second', 'third', 'fourth']
    const begun: string[] = []
    for (const prompt of prompts) begun.push((await gateway.client.agents.run('narrow', { prompt })).id)
    const statuses = await Promise.all(begun.map((id) => gateway.client.snapshot(id)))
    expect(statuses.map(({ session }) => session.status === 'queued')).toEqual([false, true, true, true])

    const refused = await fetch(`${gateway.url}/v1/agents/narrow/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'fifth' }),
    })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'agent_busy' })

    const ended: string[] = []
    const reading = begun.map((id) => readEnd(gateway.url, id).then(() => ended.push(id)))
    gateway.program('narrow').release('go')
    await Promise.all(reading)
    const times = await Promise.all(
      begun.map(async (id) => (await gateway.client.snapshot(id)).session.updatedAt),
    )
    // One at a time, and a program takes a while to start.
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    expect(ended).toEqual(begun)
    for (const [index, id] of begun.entries())
      expect(await saidIn(id)).toEqual(saidBy(prompts[index] ?? '', 1))
  })
})

function hasIndex(data: unknown): data is { readonly index: number } {
  return typeof data === 'object' && data !== null && 'index' in data
}
