import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLmdbLog } from '@sluice/log'
import { createSessionState, SluiceError, startCursor } from '@sluice/protocol'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  begin,
  createTestRuns,
  entriesToEnd,
  eventsToEnd,
  kindsOf,
  textIn,
} from '../../testing/open-test-runs.ts'
import { runs } from '../../testing/runs.ts'
import { aaepEvent, chunk } from '../../testing/sample-lines.ts'
import { createScriptedAgent, hosted, piece, type Script } from '../../testing/scripted-agent.ts'
import { until } from '../../testing/until.ts'

const { open, openScript, close } = createTestRuns()
afterEach(close)

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
    const { id } = await begin(opened, { prompt: 'Greet' })
    const entries = await entriesToEnd(opened, id)
    expect(entries.map(({ events }) => kindsOf(events))).toEqual([
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
    const { id } = await begin(opened, { prompt: 'x' })
    await opened.has(id, 4)
    expect(kindsOf(await opened.events(id))).toEqual(['session-start', 'text-delta', 'text-end', 'tool-call'])
  })

  test('of frames is stored in their dialect, and they belong to the run whatever they call their session', async () => {
    const opened = await openScript(async ({ frame }) => {
      frame(
        'aaep',
        aaepEvent(
          { session: 'sess_another', name: 'session.started', id: 'one' },
          { summary_normal: 'It begins.' },
        ),
      )
      const change = { from_state: 'idle', to_state: 'deciding', summary_normal: 'On it.' }
      frame('aaep', aaepEvent({ session: 'sess_another', name: 'state.changed', id: 'two' }, change))
      frame('aaep', 'not JSON SENTINEL')
      frame('stream-event', chunk('text'))
      return undefined
    })
    const { id } = await begin(opened, { prompt: 'x' })
    const entries = await entriesToEnd(opened, id)
    expect(entries.map(({ source }) => source.dialect)).toEqual(
      expect.arrayContaining(['sluice', 'aaep', 'stream-event']),
    )
    const events = entries.flatMap((entry) => entry.events)
    expect(textIn(events)).toBe('text')
    expect(kindsOf(events)).toContain('state-change')
    const refused = events.filter((event) => event.kind === 'notice' && event.code === 'frame_refused')
    expect(refused).toMatchObject([{ level: 'error', text: 'An event of the agent was refused: not_json.' }])
    expect(JSON.stringify(entries)).not.toContain('SENTINEL')
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
    const { encode } = opened.kernel.dialect('aaep')
    let { state } = encode.enter(createSessionState({ id }), startCursor)
    for (const entry of entries) {
      const encoded = encode.step(state, entry)
      state = encoded.state
      for (const { data } of encoded.frames) expect(JSON.parse(data)).toMatchObject({ session_id: id })
    }
  })

  test('ends its session itself where its frames do, and what follows is left out', async () => {
    const opened = await openScript(async ({ frame }) => {
      frame(
        'aaep',
        aaepEvent(
          { session: 'sess_x', name: 'session.started', id: 'one' },
          { summary_normal: 'It begins.' },
        ),
      )
      frame(
        'aaep',
        aaepEvent({ session: 'sess_x', name: 'session.completed', id: 'two' }, { summary_normal: 'Done.' }),
      )
      frame(
        'aaep',
        aaepEvent({ session: 'sess_x', name: 'progress.updated', id: 'three' }, { summary_normal: 'More.' }),
      )
      throw new SluiceError('run_failed', { message: 'exited with 1' })
    })
    const { id } = await begin(opened, { prompt: 'x' })
    const events = await eventsToEnd(opened, id)
    expect(events.at(-1)).toMatchObject({ kind: 'session-end', outcome: 'completed' })
    await until(async () => (await opened.log.marks('run/')).length === 0)
    expect(opened.runs.count()).toEqual({ active: 0, queued: 0 })
  })

  test('fails with the message of its failure, and interrupts what was open', async () => {
    const opened = await openScript(async ({ say }) => {
      say(piece('half'))
      throw new SluiceError('run_failed', { message: 'backend error: timeout' })
    })
    const { id } = await begin(opened, { prompt: 'x' })
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
    const { id } = await begin(opened, { prompt: 'x' })
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
          Array.from({ length: 100 }, (_, index) => begin(opened, { prompt: String(index) })),
        )
        for (const [index, { id }] of sessions.entries()) {
          const events = await eventsToEnd(opened, id)
          expect(textIn(events)).toBe(`${texts.join('')} ${index}`.toWellFormed())
          expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
        }
        expect(opened.kernel.pending.bytes).toBe(0)
        await until(async () => (await opened.log.marks('run/')).length === 0)
        await close()
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
    const sessions = await Promise.all(indexes.map((prompt) => begin(opened, { prompt })))
    const text = indexes.map((index) => `${index} `).join('')
    for (const [index, { id }] of sessions.entries()) {
      const events = await eventsToEnd(opened, id)
      expect(textIn(events)).toBe(text)
      expect(events.at(-1)).toMatchObject({ meta: { agent: { session: String(index) } } })
    }
    await until(async () => (await log.marks('run/')).length === 0)
  } finally {
    await close()
    await log.close()
    await rm(directory, { recursive: true })
  }
})
