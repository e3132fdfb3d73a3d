import { createMemoryLog } from '@sluice/log'
import { afterEach, describe, expect, test } from 'vitest'
import { sendAnswer, sendCancel } from '../../kernel/sessions/send-input.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { ada, begin, createTestRuns, eventsToEnd, textIn } from '../../testing/open-test-runs.ts'
import { createScriptedAgent, hosted, piece, type Script } from '../../testing/scripted-agent.ts'
import { until } from '../../testing/until.ts'

const { open, openScript, close } = createTestRuns()
afterEach(close)

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
    for (const prompt of ['a', 'b', 'c', 'd', 'e']) sessions.push(await begin(opened, { prompt }))
    await expect(begin(opened, { prompt: 'f' })).rejects.toMatchObject({ code: 'agent_busy' })
    await until(() => begun.length === 2)
    expect(opened.runs.count('one')).toEqual({ active: 2, queued: 3 })
    const state = async (index: number) => {
      const session = await opened.kernel.directory.find(sessions[index]?.id ?? '')
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
    expect(opened.runs.count()).toEqual({ active: 0, queued: 0 })
  })

  test('is left by a run that is cancelled, which never begins', async () => {
    const { begun, script, finish } = blocking()
    const opened = await openScript(script)
    await begin(opened, { prompt: 'a' })
    const waiting = await begin(opened, { prompt: 'b' })
    const last = await begin(opened, { prompt: 'c' })
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
    await expect(begin(opened, { prompt: 'a' })).rejects.toMatchObject({ code: 'storage_full' })
    log.fail(undefined)
    const { id } = await begin(opened, { prompt: 'b' })
    await until(() => begun.length === 1)
    finish('b')
    await eventsToEnd(opened, id)
    expect(begun).toEqual(['b'])
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
      const session = await begin(opened, { prompt: 'x' })
      await opened.has(session.id, 3)
      await sendAnswer(opened.kernel, session, {
        caller: ada,
        answer: { token: 'go', decision: 'accept' },
        via: 'http',
      })
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
      expect(textIn(events)).toMatch(/^stored(lost)*$/)
      expect(opened.kernel.pending.bytes).toBe(0)
    },
  )
})

describe('a gateway that stops', () => {
  test('ends the runs under way and those that wait, and takes no more', async () => {
    const opened = await openScript(async ({ untilCancelled }) => {
      await untilCancelled()
      return undefined
    })
    const sessions = [await begin(opened, { prompt: 'a' }), await begin(opened, { prompt: 'b' })]
    await opened.runs.stop()
    for (const { id } of sessions)
      expect((await opened.events(id)).at(-1)).toMatchObject({
        kind: 'session-end',
        outcome: 'failed',
        error: { code: 'gateway_stopped' },
      })
    expect(await opened.log.marks('run/')).toEqual([])
    await expect(begin(opened, { prompt: 'c' })).rejects.toMatchObject({ code: 'closed' })
  })

  test('waits for an agent that does not end no longer than it may', async () => {
    const opened = await openScript(() => new Promise(() => {}))
    const session = await begin(opened, { prompt: 'a' })
    let isStopped = false
    const stopped = opened.runs.stop().then(() => {
      isStopped = true
    })
    opened.clock.advance(opened.kernel.config.drainMs)
    await until(() => {
      opened.clock.advance(100)
      return isStopped
    })
    await stopped
    expect(session.isEnded).toBe(false)
    expect((await opened.log.marks('run/')).map(({ name }) => name)).toEqual([`run/${session.id}`])
  })
})
