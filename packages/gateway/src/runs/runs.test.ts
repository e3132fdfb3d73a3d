import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog, type Log, openLmdbLog } from '@sluice/log'
import { createSessionState, type Entry, SluiceError, type SluiceEvent, startCursor } from '@sluice/protocol'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Caller } from '../auth/caller.ts'
import { sendAnswer, sendCancel, sendMessage } from '../sessions/send-input.ts'
import type { Session } from '../sessions/session.ts'
import { createFaultyLog } from '../testing/faulty-log.ts'
import { callerWith, openTestGate, type TestGate } from '../testing/open-test-gate.ts'
import { runs } from '../testing/runs.ts'
import { aaepEvent, chunk } from '../testing/sample-lines.ts'
import { createScriptedAgent, hosted, piece, type Script } from '../testing/scripted-agent.ts'
import { until } from '../testing/until.ts'
import type { HostedAgent } from './hosted-agent.ts'

const ada = callerWith('ada', 'run', 'subscribe', 'answer')
let current: TestGate | undefined
afterEach(async () => {
  const stopped = current?.gate.runs.stop()
  current?.clock.advance(current.gate.config.drainMs)
  await stopped
  await current?.close()
  current = undefined
})

async function open(
  agents: Readonly<Record<string, HostedAgent>>,
  log: Log = createMemoryLog(),
): Promise<TestGate> {
  current = await openTestGate({ log, agents })
  return current
}

const openScript = (script: Script, more: Partial<HostedAgent> = {}) =>
  open({ one: hosted(createScriptedAgent(script), more) })

async function begin(
  opened: TestGate,
  prompt: string,
  more: object = {},
  agent = 'one',
  caller: Caller = ada,
) {
  const { session } = await opened.gate.runs.begin(caller, agent, { prompt, ...more })
  return session
}

async function entriesToEnd(opened: TestGate, session: string): Promise<readonly Entry[]> {
  await until(async () => (await opened.gate.directory.find(session))?.isEnded === true)
  return opened.entries(session)
}

async function eventsToEnd(opened: TestGate, session: string): Promise<readonly SluiceEvent[]> {
  return (await entriesToEnd(opened, session)).flatMap(({ events }) => events)
}

const kinds = (events: readonly SluiceEvent[]): readonly string[] => events.map(({ kind }) => kind)
const textOf = (events: readonly SluiceEvent[]): string =>
  events.map((event) => (event.kind === 'text-delta' ? event.text : '')).join('')

describe('what a run says', () => {
  test('becomes its session, in order, with the end of the last text in the entry of the end', async () => {
    const opened = await openScript(async ({ say }) => {
      say({ kind: 'notice', level: 'info', text: 'begun', meta: { agent: { session: 'n1', model: 'm' } } })
      say(piece('Hello '))
      say(piece('world'))
      say({ kind: 'text-end', output: 'out', take: 0 })
      say({ kind: 'usage', outputTokens: 2, meta: { agent: { version: '2' } } })
      return undefined
    })
    const { id } = await begin(opened, 'Greet')
    const entries = await entriesToEnd(opened, id)
    expect(entries.map(({ events }) => kinds(events))).toEqual([
      ['session-start'],
      ['notice'],
      ['text-delta'],
      ['text-delta'],
      ['text-end', 'usage', 'session-end'],
    ])
    expect(entries[0]?.events[0]).toMatchObject({ request: 'Greet', meta: { agent: { id: 'one' } } })
    expect(entries.at(-1)).toMatchObject({
      direction: 'event',
      source: { dialect: 'sluice', producer: 'one', subject: 'ada' },
      events: [
        {},
        {},
        {
          outcome: 'completed',
          meta: { agent: { id: 'one', kind: 'scripted', session: 'n1', model: 'm', version: '2' } },
        },
      ],
    })
  })

  test('holds back nothing that something else follows', async () => {
    const opened = await openScript(async ({ say, untilCancelled }) => {
      say(piece('a'))
      say({ kind: 'text-end', output: 'out', take: 0 })
      say({ kind: 'tool-call', call: 'c', tool: 't' })
      await untilCancelled()
      return undefined
    })
    const { id } = await begin(opened, 'x')
    await opened.has(id, 4)
    expect(kinds(await opened.events(id))).toEqual(['session-start', 'text-delta', 'text-end', 'tool-call'])
  })

  test('of frames is stored in their contract, and they belong to the run whatever they call their session', async () => {
    const opened = await openScript(async ({ frame }) => {
      frame('aaep', aaepEvent('sess_another', 'session.started', 'one', { summary_normal: 'It begins.' }))
      const change = { from_state: 'idle', to_state: 'deciding', summary_normal: 'On it.' }
      frame('aaep', aaepEvent('sess_another', 'state.changed', 'two', change))
      frame('aaep', 'not JSON SENTINEL')
      frame('stream-event', chunk('text'))
      return undefined
    })
    const { id } = await begin(opened, 'x')
    const entries = await entriesToEnd(opened, id)
    expect(entries.map(({ source }) => source.dialect)).toEqual(
      expect.arrayContaining(['sluice', 'aaep', 'stream-event']),
    )
    const events = entries.flatMap((entry) => entry.events)
    expect(textOf(events)).toBe('text')
    expect(kinds(events)).toContain('state-change')
    const refused = events.filter((event) => event.kind === 'notice' && event.code === 'frame_refused')
    expect(refused).toMatchObject([{ level: 'error', text: 'An event of the agent was refused: not_json.' }])
    expect(JSON.stringify(entries)).not.toContain('SENTINEL')
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
    const { encode } = opened.gate.dialect('aaep')
    let { state } = encode.enter(createSessionState({ id }), startCursor)
    for (const entry of entries) {
      const encoded = encode.step(state, entry)
      state = encoded.state
      for (const { data } of encoded.frames) expect(JSON.parse(data)).toMatchObject({ session_id: id })
    }
  })

  test('ends its session itself where its frames do, and what follows is left out', async () => {
    const opened = await openScript(async ({ frame }) => {
      frame('aaep', aaepEvent('sess_x', 'session.started', 'one', { summary_normal: 'It begins.' }))
      frame('aaep', aaepEvent('sess_x', 'session.completed', 'two', { summary_normal: 'Done.' }))
      frame('aaep', aaepEvent('sess_x', 'progress.updated', 'three', { summary_normal: 'More.' }))
      throw new SluiceError('run_failed', { message: 'exited with 1' })
    })
    const { id } = await begin(opened, 'x')
    const events = await eventsToEnd(opened, id)
    expect(events.at(-1)).toMatchObject({ kind: 'session-end', outcome: 'completed' })
    await until(async () => (await opened.log.marks('run/')).length === 0)
    expect(opened.gate.runs.count()).toEqual({ active: 0, queued: 0 })
  })

  test('fails with the message of its failure, and interrupts what was open', async () => {
    const opened = await openScript(async ({ say }) => {
      say(piece('half'))
      throw new SluiceError('run_failed', { message: 'backend error: timeout' })
    })
    const { id } = await begin(opened, 'x')
    const last = (await entriesToEnd(opened, id)).at(-1)
    expect(last?.events).toMatchObject([
      { kind: 'text-end', interrupted: true },
      { outcome: 'failed', error: { code: 'run_failed', message: 'backend error: timeout' } },
    ])
  })

  test('an agent that throws something else has failed without its message', async () => {
    const opened = await openScript(async () => {
      throw new Error('SENTINEL')
    })
    const { id } = await begin(opened, 'x')
    const events = await eventsToEnd(opened, id)
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'run_failed' } })
    expect(JSON.stringify([events, opened.lines])).not.toContain('SENTINEL')
  })

  test('reaches the log whole, for any outputs of 100 runs at once', { timeout: 120_000 }, async () => {
    const anyTexts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { maxLength: 120 })
    await fc.assert(
      fc.asyncProperty(anyTexts, async (texts) => {
        const opened = await openScript(
          async ({ say, request }) => {
            for (const [index, text] of texts.entries()) {
              say(piece(text))
              if (index % 7 === 0) await Promise.resolve()
            }
            say(piece(` ${request.prompt}`))
            return undefined
          },
          { concurrency: 100 },
        )
        const sessions = await Promise.all(
          Array.from({ length: 100 }, (_, index) => begin(opened, String(index))),
        )
        for (const [index, { id }] of sessions.entries()) {
          const events = await eventsToEnd(opened, id)
          expect(textOf(events)).toBe(`${texts.join('')} ${index}`.toWellFormed())
          expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
        }
        expect(opened.gate.pending.bytes).toBe(0)
        await until(async () => (await opened.log.marks('run/')).length === 0)
        await opened.close()
      }),
      { numRuns: runs(3) },
    )
  })
})

test('100 runs at once reach a log on disk whole', { timeout: 120_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-runs-'))
  const log = await openLmdbLog({ directory, minFreeBytes: 0 })
  try {
    const script: Script = async ({ say, host, request }) => {
      await host.onProcess?.({ pid: 1, startMark: request.prompt, marker: 'm' })
      for (let index = 0; index < 100; index++) say(piece(`${index} `))
      return { handle: request.prompt }
    }
    const opened = await open({ one: hosted(createScriptedAgent(script), { concurrency: 100 }) }, log)
    const indexes = Array.from({ length: 100 }, (_, index) => String(index))
    const sessions = await Promise.all(indexes.map((prompt) => begin(opened, prompt)))
    const text = indexes.map((index) => `${index} `).join('')
    for (const [index, { id }] of sessions.entries()) {
      const events = await eventsToEnd(opened, id)
      expect(textOf(events)).toBe(text)
      expect(events.at(-1)).toMatchObject({ meta: { agent: { session: String(index) } } })
    }
    await until(async () => (await log.marks('run/')).length === 0)
    await opened.close()
    current = undefined
  } finally {
    await log.close()
    await rm(directory, { recursive: true })
  }
})

describe('the queue of an agent', () => {
  const blocking = () => {
    const begun: string[] = []
    const finish = new Map<string, () => void>()
    const script: Script = async ({ request, cancelled }) => {
      begun.push(request.prompt)
      await new Promise<void>((resolve) => {
        finish.set(request.prompt, resolve)
        cancelled.addEventListener('abort', () => resolve())
      })
      return undefined
    }
    return { begun, script, finish: (prompt: string) => finish.get(prompt)?.() }
  }

  test('is served in the order of the requests, so many at a time, and refuses what is too much', async () => {
    const { begun, script, finish } = blocking()
    const opened = await openScript(script, { concurrency: 2, queue: 3 })
    const sessions: Session[] = []
    for (const prompt of ['a', 'b', 'c', 'd', 'e']) sessions.push(await begin(opened, prompt))
    await expect(begin(opened, 'f')).rejects.toMatchObject({ code: 'agent_busy' })
    await until(() => begun.length === 2)
    expect(opened.gate.runs.count('one')).toEqual({ active: 2, queued: 3 })
    const state = async (index: number) => {
      const session = await opened.gate.directory.find(sessions[index]?.id ?? '')
      return (await session?.stateAt(session.lastSeq))?.status
    }
    expect(await state(2)).toBe('queued')
    finish('b')
    await until(() => begun.length === 3)
    await until(async () => (await state(2)) === 'thinking')
    finish('a')
    finish('c')
    await until(() => begun.length === 5)
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    finish('d')
    finish('e')
    for (const { id } of sessions)
      expect((await eventsToEnd(opened, id)).at(-1)).toMatchObject({ outcome: 'completed' })
    expect(opened.gate.runs.count()).toEqual({ active: 0, queued: 0 })
  })

  test('is left by a run that is cancelled, which never begins', async () => {
    const { begun, script, finish } = blocking()
    const opened = await openScript(script)
    await begin(opened, 'a')
    const waiting = await begin(opened, 'b')
    const last = await begin(opened, 'c')
    await sendCancel(waiting, ada, undefined)
    expect((await eventsToEnd(opened, waiting.id)).at(-1)).toMatchObject({ outcome: 'cancelled', by: 'ada' })
    finish('a')
    await until(() => begun.length === 2)
    expect(begun).toEqual(['a', 'c'])
    finish('c')
    await eventsToEnd(opened, last.id)
  })

  test('gives its place back when a request comes to nothing', async () => {
    const log = createFaultyLog(createMemoryLog())
    const { begun, script, finish } = blocking()
    const opened = await open({ one: hosted(createScriptedAgent(script), { queue: 0 }) }, log)
    log.fail('storage_full')
    await expect(begin(opened, 'a')).rejects.toMatchObject({ code: 'storage_full' })
    log.fail(undefined)
    const { id } = await begin(opened, 'b')
    await until(() => begun.length === 1)
    finish('b')
    await eventsToEnd(opened, id)
    expect(begun).toEqual(['b'])
  })
})

describe('what people send', () => {
  test('reaches the run: an answer under the token of the agent, also where people see another', async () => {
    const asking: Script = async ({ say, answer }) => {
      say({ kind: 'question-open', question: 'confirmation', token: 'tok', text: 'Really?' })
      const { decision, token, how } = await answer()
      say(piece(`${token} ${how} ${decision}`))
      return undefined
    }
    const opened = await openScript(asking, { concurrency: 2 })
    const sessions = [await begin(opened, 'a'), await begin(opened, 'b')]
    const seen: string[] = []
    for (const session of sessions) {
      await opened.has(session.id, 2)
      const [open] = (await opened.events(session.id)).filter(({ kind }) => kind === 'question-open')
      if (open?.kind !== 'question-open') throw new Error('it asks')
      seen.push(open.token)
      await sendAnswer(opened.gate, session, ada, { token: open.token, decision: 'accept' }, 'http')
      expect(textOf(await eventsToEnd(opened, session.id))).toBe('tok answered accept')
    }
    expect(new Set(seen).size).toBe(2)
  })

  test('includes what time decides', async () => {
    const opened = await openScript(async ({ say, answer }) => {
      say({
        kind: 'question-open',
        question: 'confirmation',
        token: 'tok',
        text: 'Really?',
        timeoutMs: 1000,
        default: 'reject',
      })
      const { decision, how } = await answer()
      say(piece(`${how} ${decision}`))
      return undefined
    })
    const { id } = await begin(opened, 'a')
    await opened.has(id, 2)
    opened.clock.advance(1000)
    expect(textOf(await eventsToEnd(opened, id))).toBe('timeout reject')
  })

  test('cancels the run, and says who did; the first one counts', async () => {
    const opened = await openScript(async ({ say, untilCancelled }) => {
      say(piece('working'))
      await untilCancelled()
      return undefined
    })
    const session = await begin(opened, 'a')
    await opened.has(session.id, 2)
    await sendCancel(session, callerWith('bob', 'answer'), 'enough')
    await sendCancel(session, ada, undefined).catch(() => {})
    expect((await eventsToEnd(opened, session.id)).at(-1)).toMatchObject({ outcome: 'cancelled', by: 'bob' })
  })

  test('is a message that the agent takes, or a notice that it takes none', async () => {
    const opened = await open({
      deaf: hosted(
        createScriptedAgent(async ({ untilCancelled }) => {
          await untilCancelled()
          return undefined
        }),
      ),
      one: hosted(
        createScriptedAgent(async ({ say, hear, untilCancelled }) => {
          hear((text) => say(piece(`I heard ${text}`)))
          say({ kind: 'state-change', to: 'thinking' })
          await untilCancelled()
          return undefined
        }),
      ),
    })
    const listening = await begin(opened, 'a')
    await opened.has(listening.id, 2)
    await sendMessage(listening, ada, 'm1', [{ type: 'text', text: 'you' }])
    await opened.has(listening.id, 4)
    expect(textOf(await opened.events(listening.id))).toBe('I heard you')
    await sendMessage(listening, ada, 'm2', [{ type: 'data', data: 1 }])
    await opened.has(listening.id, 6)
    const deaf = await begin(opened, 'a', {}, 'deaf')
    await sendMessage(deaf, ada, 'm3', [{ type: 'text', text: 'you' }])
    await opened.has(deaf.id, 3)
    for (const { id } of [listening, deaf])
      expect((await opened.events(id)).at(-1)).toMatchObject({ kind: 'notice', code: 'message_not_taken' })
  })

  test.each(['end', 'delete'])('ends the run with its session: %s', async (how) => {
    let wasCancelled = false
    const opened = await openScript(async ({ untilCancelled }) => {
      await untilCancelled()
      wasCancelled = true
      return undefined
    })
    const session = await begin(opened, 'a')
    if (how === 'delete') await opened.gate.directory.delete(session.id)
    else
      await session.write((writer) =>
        writer.make(() => [{ kind: 'session-end', outcome: 'rejected' }], {
          direction: 'system',
          source: { dialect: 'sluice' },
        }),
      )
    await until(() => wasCancelled)
    await until(async () => (await opened.log.marks('run/')).length === 0)
    expect(opened.gate.runs.count()).toEqual({ active: 0, queued: 0 })
    if (how === 'end') expect((await opened.events(session.id)).at(-1)).toMatchObject({ outcome: 'rejected' })
  })
})

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

describe('a store that fails', () => {
  test.each(['storage_full', 'storage_failed'] as const)(
    'stops the run, which ends as failed when it can: %s',
    async (code) => {
      const log = createFaultyLog(createMemoryLog())
      let wasCancelled = false
      const opened = await open(
        {
          one: hosted(
            createScriptedAgent(async ({ say, answer, untilCancelled }) => {
              say(piece('stored'))
              say({ kind: 'question-open', question: 'confirmation', token: 'go', text: 'Go on?' })
              await answer()
              for (let index = 0; index < 200; index++) say(piece('lost'))
              await untilCancelled()
              wasCancelled = true
              return undefined
            }),
          ),
        },
        log,
      )
      const session = await begin(opened, 'x')
      await opened.has(session.id, 3)
      await sendAnswer(opened.gate, session, ada, { token: 'go', decision: 'accept' }, 'http')
      log.fail(code)
      await until(() => wasCancelled)
      expect(session.isEnded).toBe(false)
      opened.clock.advance(5_000)
      await until(() => opened.lines.some(({ msg }) => String(msg).includes('could not be stored')))
      log.fail(undefined)
      await until(() => {
        opened.clock.advance(5_000)
        return session.isEnded
      })
      const events = await opened.events(session.id)
      expect(events.at(-1)).toMatchObject({ outcome: 'failed', error: { code } })
      expect(textOf(events)).toMatch(/^stored(lost)*$/)
      expect(opened.gate.pending.bytes).toBe(0)
    },
  )
})

describe('a gateway that stops', () => {
  test('ends the runs under way and those that wait, and takes no more', async () => {
    const opened = await openScript(async ({ untilCancelled }) => {
      await untilCancelled()
      return undefined
    })
    const sessions = [await begin(opened, 'a'), await begin(opened, 'b')]
    await opened.gate.runs.stop()
    for (const { id } of sessions)
      expect((await opened.events(id)).at(-1)).toMatchObject({
        kind: 'session-end',
        outcome: 'failed',
        error: { code: 'gateway_stopped' },
      })
    expect(await opened.log.marks('run/')).toEqual([])
    await expect(begin(opened, 'c')).rejects.toMatchObject({ code: 'closed' })
  })

  test('waits for an agent that does not end no longer than it may', async () => {
    const opened = await openScript(() => new Promise(() => {}))
    const session = await begin(opened, 'a')
    const stopped = opened.gate.runs.stop()
    opened.clock.advance(opened.gate.config.drainMs)
    await stopped
    expect(session.isEnded).toBe(false)
    expect((await opened.log.marks('run/')).map(({ name }) => name)).toEqual([`run/${session.id}`])
  })
})
