import { SluiceError } from '@sluice/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../access/caller.ts'
import { callerWith, type TestKernel } from '../../testing/open-test-kernel.ts'
import { ada, begin, createTestRuns, entriesToEnd } from '../../testing/open-test-runs.ts'
import { published } from '../../testing/sample-lines.ts'
import { createScriptedAgent, hosted } from '../../testing/scripted-agent.ts'
import { until } from '../../testing/until.ts'

const { open, openScript, close } = createTestRuns()
afterEach(close)

/** A caller that may read everything, and run agents only in its own sessions. */
function ownRunner(subject: string): Caller {
  return {
    ...callerWith(subject, 'subscribe'),
    can: (action, { owner }) => action === 'subscribe' || (action === 'run' && owner === subject),
  }
}

describe('a context', () => {
  const resumeKey = 'agent_api.session.resume.v1'
  const asked: unknown[] = []
  const remembering = (
    handle: string | undefined,
    { fails = false }: { readonly fails?: boolean | undefined } = {},
  ) =>
    createScriptedAgent(
      async ({ request }) => {
        asked.push(request.extensions?.[resumeKey])
        if (fails && asked.length === 1) throw new SluiceError('run_failed', { message: 'no' })
        return handle === undefined ? undefined : { handle: `${handle}${asked.length}` }
      },
      { capabilities: ['agent_api.run', resumeKey] },
    )

  async function runThrough(
    opened: TestKernel,
    more: object,
    {
      agent = 'one',
      caller = ada,
    }: { readonly agent?: string | undefined; readonly caller?: Caller | undefined } = {},
  ): Promise<string> {
    const { id } = await begin(opened, { prompt: 'x', ...more }, { agent, caller })
    await entriesToEnd(opened, id)
    await until(() => opened.runs.count().active === 0)
    await until(async () => (await opened.log.marks('run/')).length === 0)
    return id
  }

  test('goes on from the newest run of the same agent in it', async () => {
    asked.length = 0
    const opened = await open({
      one: hosted(remembering('h'), { requestsMayRaisePermissions: true }),
      two: hosted(remembering('other')),
    })
    const first = await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' }, { agent: 'two' })
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
    await opened.kernel.directory.delete(first)
    const heads = await opened.log.list({ limit: 100 })
    expect(JSON.stringify(heads.filter(({ session }) => session.startsWith('ctx_')))).not.toContain('h1')
  })

  test('goes on only from what the caller may read', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h')) })
    await runThrough(opened, { context: 'c' })
    await runThrough(opened, { context: 'c' }, { agent: 'one', caller: callerWith('eve', 'run') })
    expect(asked).toEqual([undefined, undefined])
  })

  test('is refused to a caller who may read its runs but not have them run', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h')) })
    await runThrough(opened, { context: 'c' })
    await expect(
      begin(opened, { prompt: 'x', context: 'c' }, { agent: 'one', caller: ownRunner('eve') }),
    ).rejects.toMatchObject({
      code: 'run_not_permitted',
      details: { path: '/context' },
    })
    expect(asked).toEqual([undefined])
  })

  test('is refused where there is nothing to go on from', async () => {
    asked.length = 0
    const opened = await open({
      one: hosted(remembering(undefined)),
      two: hosted(createScriptedAgent(async () => undefined)),
    })
    for (const agent of ['one', 'two']) {
      await runThrough(opened, { context: 'c' }, { agent })
      await expect(begin(opened, { prompt: 'x', context: 'c' }, { agent })).rejects.toMatchObject({
        code: 'invalid_run',
        details: { path: '/context' },
      })
    }
  })

  test('begins anew behind a run that failed before it had a session', async () => {
    asked.length = 0
    const opened = await open({ one: hosted(remembering('h', { fails: true })) })
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
    await begin(opened, { prompt: 'x', context: 'c' })
    await expect(begin(opened, { prompt: 'x', context: 'c' })).rejects.toMatchObject({ code: 'agent_busy' })
    await begin(opened, { prompt: 'x', context: 'd' })
  })
})

describe.each(['agent_api.session.resume.v1', 'agent_api.session.fork.v1'])('%s', (key) => {
  const native = createScriptedAgent(
    async ({ request, say }) => {
      const { id } = (request.extensions?.[key] ?? {}) as { readonly id?: string } // what the test asks for
      const session = id ?? `native-${request.prompt}`
      say({ kind: 'notice', level: 'info', text: 'begun', meta: { agent: { session } } })
      return { handle: session }
    },
    { capabilities: ['agent_api.run', key] },
  )
  const refusal = {
    code: 'run_not_permitted',
    message: expect.stringContaining('agents.one.requestsMayRaisePermissions'),
    details: { path: `/extensions/${key}`, ceiling: 'recorded', setting: 'requestsMayRaisePermissions' },
  }
  const from = (handle: string) => ({ extensions: { [key]: { selector: 'id', id: handle } } })

  async function recorded(
    more = {},
    caller = ada,
  ): Promise<{ readonly opened: TestKernel; readonly id: string }> {
    const opened = await open({
      one: hosted(native, more),
      two: hosted({ ...native, kind: 'another' }, more),
    })
    const { id } = await begin(opened, { prompt: 'a' }, { agent: 'one', caller })
    await entriesToEnd(opened, id)
    return { opened, id }
  }

  test('goes on from what a run has recorded that the caller may read and have run', async () => {
    const { opened } = await recorded()
    const again = await begin(opened, { prompt: 'b', ...from('native-a') })
    await entriesToEnd(opened, again.id)
    const own = await recorded({}, ownRunner('bob'))
    await begin(own.opened, { prompt: 'b', ...from('native-a') }, { agent: 'one', caller: ownRunner('bob') })
  })

  test.each([
    ['nobody recorded', 'native-x', ada],
    ['the caller may not read', 'native-a', callerWith('eve', 'run')],
    ['the caller may only read', 'native-a', ownRunner('eve')],
    ['only looks like one', ' native-a', ada],
    ['only looks like one, in its case', 'NATIVE-A', ada],
  ])('refuses what %s, and begins nothing', async (_, handle, caller) => {
    const { opened } = await recorded()
    const sessions = await opened.log.list({ limit: 100 })
    await expect(
      begin(opened, { prompt: 'b', ...from(handle) }, { agent: 'one', caller }),
    ).rejects.toMatchObject(refusal)
    expect(await opened.log.list({ limit: 100 })).toEqual(sessions)
  })

  test.each([
    { selector: 'last' },
    { selector: 'id' },
    { selector: 'name', id: 'native-a' },
    'native-a',
    null,
  ])('refuses %j: whose session that is, nobody knows', async (value) => {
    const { opened } = await recorded()
    const extensions = { [key]: value }
    await expect(begin(opened, { prompt: 'b', extensions })).rejects.toMatchObject(refusal)
  })

  test('refuses the sessions of another kind of agent', async () => {
    const { opened } = await recorded()
    await expect(begin(opened, { prompt: 'b', ...from('native-a') }, { agent: 'two' })).rejects.toMatchObject(
      { code: refusal.code },
    )
  })

  test('refuses what was only published', async () => {
    const { opened } = await recorded()
    const agent = { id: 'one', kind: 'scripted', session: 'native-victim' }
    await opened.publish('sess_forged', [published({ kind: 'session-start', meta: { agent } })])
    await expect(begin(opened, { prompt: 'b', ...from('native-victim') })).rejects.toMatchObject(refusal)
  })

  test('refuses what was recorded by a run that was deleted', async () => {
    const { opened, id } = await recorded()
    await opened.kernel.directory.delete(id)
    await expect(begin(opened, { prompt: 'b', ...from('native-a') })).rejects.toMatchObject(refusal)
  })

  test('with the opt-in takes what no run recorded, and still refuses what belongs to others', async () => {
    const { opened } = await recorded({ requestsMayRaisePermissions: true })
    const eve = callerWith('eve', 'run')
    await begin(opened, { prompt: 'b', ...from('native-x') }, { agent: 'one', caller: eve })
    await begin(
      opened,
      { prompt: 'b', extensions: { [key]: { selector: 'last' } } },
      { agent: 'one', caller: eve },
    )
    await expect(
      begin(opened, { prompt: 'b', ...from('native-a') }, { agent: 'one', caller: eve }),
    ).rejects.toMatchObject(refusal)
  })

  test('finds what runs recorded at the same time', async () => {
    const opened = await open({ one: hosted(native, { concurrency: 8 }) })
    const sessions = await Promise.all([...'abcdefgh'].map((prompt) => begin(opened, { prompt })))
    for (const { id } of sessions) await entriesToEnd(opened, id)
    await Promise.all(
      [...'abcdefgh'].map((each) => begin(opened, { prompt: 'z', ...from(`native-${each}`) })),
    )
  })
})
