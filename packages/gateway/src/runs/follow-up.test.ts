import { SluiceError } from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { callerWith, type TestGate } from '../testing/open-test-gate.ts'
import { ada, begin, createTestRuns, entriesToEnd } from '../testing/open-test-runs.ts'
import { createScriptedAgent, hosted } from '../testing/scripted-agent.ts'
import { until } from '../testing/until.ts'

const { open, openScript, close } = createTestRuns()
afterEach(close)

describe('a context', () => {
  const resumeKey = 'agent_api.session.resume.v1'
  const asked: unknown[] = []
  const remembering = (handle: string | undefined, fails = false) =>
    createScriptedAgent(
      async ({ request }) => {
        asked.push(request.extensions?.[resumeKey])
        if (fails && asked.length === 1) throw new SluiceError('run_failed', { message: 'no' })
        return handle === undefined ? undefined : { handle: `${handle}${asked.length}` }
      },
      { capabilities: ['agent_api.run', resumeKey] },
    )

  async function runThrough(opened: TestGate, more: object, agent = 'one', caller = ada): Promise<string> {
    const { id } = await begin(opened, 'x', more, agent, caller)
    await entriesToEnd(opened, id)
    await until(() => opened.gate.runs.count().active === 0)
    await until(async () => (await opened.log.marks('run/')).length === 0)
    return id
  }

  test('goes on from the newest run of the same agent in it', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h')), two: hosted(remembering('other')) })
    const first = await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' }, 'two')
    await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'd' })
    await runThrough(opened, { context: 'c', extensions: { [resumeKey]: { selector: 'last' } } })
    expect(asked).toEqual([
      undefined,
      undefined,
      { selector: 'id', id: 'h1' },
      { selector: 'id', id: 'h3' },
      undefined,
      { selector: 'last' },
    ])
    await opened.gate.directory.delete(first)
    const heads = await opened.log.list({ limit: 100 })
    expect(JSON.stringify(heads.filter(({ session }) => session.startsWith('ctx_')))).not.toContain('h1')
  })

  test('goes on only from what the caller may read', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h')) })
    await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' }, 'one', callerWith('eve', 'run'))
    expect(asked).toEqual([undefined, undefined])
  })

  test('is refused where there is nothing to go on from', async () => {
    asked.length = 0
    const opened = await open({
      one: hosted(remembering(undefined)),
      two: hosted(createScriptedAgent(async () => undefined)),
    })
    for (const agent of ['one', 'two']) {
      await runThrough(opened, { context: 'c' }, agent)
      await expect(begin(opened, 'x', { context: 'c' }, agent)).rejects.toMatchObject({
        code: 'invalid_run',
        details: { path: '/context' },
      })
    }
  })

  test('begins anew behind a run that failed before it had a session', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h', true)) })
    await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' })
    expect(asked).toEqual([undefined, undefined])
  })

  test('has one run of an agent at a time', async () => {
    const opened = await openScript(
      async ({ untilCancelled }) => {
        await untilCancelled()
        return undefined
      },
      { concurrency: 2 },
    )
    await begin(opened, 'x', { context: 'c' })
    await expect(begin(opened, 'x', { context: 'c' })).rejects.toMatchObject({ code: 'agent_busy' })
    await begin(opened, 'x', { context: 'd' })
  })
})
