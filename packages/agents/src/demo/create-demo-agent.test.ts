import {
  admitMade,
  createIntake,
  createSessionState,
  omitUndefined,
  type RunOutput,
  SluiceError,
  type SluiceEvent,
  startCursor,
  systemClock,
  tableValues,
} from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeRun } from '../testing/judge-run.ts'
import { playRun } from '../testing/play-run.ts'
import { runs } from '../testing/runs.ts'
import { createDemoAgent } from './create-demo-agent.ts'
import { longPieces } from './stories.ts'

const agent = createDemoAgent()
const languages = ['en', 'de']

/** Plays a prompt, and answers its questions: the last choice, and this decision. */
function play(prompt: string, decision = 'accept', request = {}) {
  return playRun(agent, { prompt, ...request }, (output, run) => {
    for (const event of eventsOf(output)) {
      if (event.kind !== 'question-open') continue
      const { token, question, choices = [] } = event
      const response = choices.at(-1)?.value ?? ''
      run.answer({ token, how: 'answered', ...(question === 'confirmation' ? { decision } : { response }) })
    }
  })
}

const eventsOf = (output: RunOutput): readonly SluiceEvent[] =>
  output.type === 'events' ? output.events : []
const textOf = (events: readonly SluiceEvent[], channel = 'answer'): string =>
  events.map((event) => (event.kind === 'text-delta' && event.channel === channel ? event.text : '')).join('')
const toolsOf = (events: readonly SluiceEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'tool-call' ? [event.tool] : []))

describe.each(['trip', 'fix'])('the story %s', (story) => {
  test.each(languages)('is told in %s, in order and without gaps', async (language) => {
    const played = await play(`${story} fast\ndemo: language ${language}`)
    const state = await judgeRun(played)
    const { events, completion } = played
    const kinds = new Set(events.map(({ kind }) => kind))
    for (const kind of [
      'state-change',
      'state-data',
      'progress',
      'tool-call',
      'sources',
      'usage',
      'question-open',
    ])
      expect(kinds).toContain(kind)
    expect(textOf(events, 'reasoning')).not.toBe('')
    const text = textOf(events)
    expect(text).not.toMatch(/\{[a-z]+\}/)
    for (const mark of ['# ', '\n- ', '| --- ', '```'].filter((mark) => story === 'fix' || mark !== '\n- '))
      expect(text).toContain(mark)
    expect(JSON.stringify(events)).not.toMatch(/"[^"]*\{(place|stay|walk|hours|price|where|rounding|text)\}/)
    expect(completion).toMatchObject({
      status: { code: 0 },
      finalText: tableValues(state.outputs).at(-1)?.text,
      handle: expect.stringMatching(/^demo_/),
    })
    const spoken = events.flatMap((event) => (event.kind === 'text-delta' ? [event.language] : []))
    expect(new Set(spoken)).toEqual(new Set([language]))
  })

  test('is the same for the same prompt and answers, and another for others', async () => {
    const [one, same, other] = [
      await play(`${story} fast`),
      await play(`${story} fast`),
      await play(`${story} fast`, 'reject'),
    ]
    expect(same).toEqual(one)
    expect(toolsOf(one.events).length).toBe(toolsOf(other.events).length + 1)
    expect(textOf(one.events)).not.toBe(textOf(other.events))
  })

  test('has a subagent, whose events name the call that began it', async () => {
    const { events } = await play(`${story} fast`)
    const task = events.find((event) => event.kind === 'tool-call' && event.tool === 'task')
    const parent = task?.kind === 'tool-call' ? task.call : ''
    const inside = events.filter(({ meta }) => meta?.parent === parent).map(({ kind }) => kind)
    expect(new Set(inside)).toEqual(new Set(['tool-call', 'tool-result', 'text-delta', 'text-end']))
  })

  test('fails half-way where it is asked to, and says so once', async () => {
    const played = await play(`${story} fast fail`)
    await judgeRun(played)
    expect(played.completion).toMatchObject({ code: 'run_failed', message: 'demo failed: it was asked to' })
    expect(played.events.some((event) => event.kind === 'tool-result' && event.status === 'error')).toBe(true)
  })

  test('asks nobody where it shall be quiet, and then does nothing that cannot be undone', async () => {
    const { events, completion } = await playRun(agent, { prompt: `${story} fast quiet` })
    expect(events.some(({ kind }) => kind === 'question-open')).toBe(false)
    expect(events.some((event) => event.kind === 'tool-call' && event.irreversible === true)).toBe(false)
    expect(completion).toMatchObject({ status: { code: 0 } })
  })
})

test('asks before something that cannot be undone, with no as the default', async () => {
  const { events } = await play('trip fast')
  const questions = events.filter(({ kind }) => kind === 'question-open')
  expect(questions).toMatchObject([
    {
      question: 'clarification',
      kinds: ['multiple_choice'],
      choices: [{ value: 'sea' }, {}, {}],
      default: 'sea',
    },
    { question: 'confirmation', irreversible: true, risk: 'high', default: 'reject', timeoutMs: 60_000 },
  ])
  const asked = events.findIndex((event) => event.kind === 'question-open' && event.irreversible === true)
  const done = events.findIndex((event) => event.kind === 'tool-call' && event.irreversible === true)
  expect(done).toBeGreaterThan(asked)
})

test('what nobody answers in time is what its default says', async () => {
  const { events, completion } = await playRun(agent, { prompt: 'trip fast' }, (output, run) => {
    for (const event of eventsOf(output))
      if (event.kind === 'question-open')
        run.answer({
          token: event.token,
          how: 'timeout',
          ...(event.question === 'confirmation' ? { decision: 'reject' } : { response: 'sea' }),
        })
  })
  expect(completion).toMatchObject({
    status: { code: 0 },
    finalText: expect.stringContaining('Nothing is booked'),
  })
  expect(toolsOf(events)).not.toContain('book_trip')
})

test('takes up a message, also while a question waits', async () => {
  let isTaken = false
  let isAnswered = false
  const played = await playRun(agent, { prompt: 'trip fast' }, (output, run) => {
    for (const event of eventsOf(output)) {
      if (event.kind === 'question-open' && event.question === 'clarification')
        isTaken = run.message('by train, {place}, please')
      if (event.kind === 'text-end' && isTaken && !isAnswered) {
        isAnswered = true
        run.answer({ token: 'question_1', how: 'answered', response: 'city' })
        run.answer({ token: 'question_2', how: 'answered', decision: 'reject' })
        run.answer({ token: 'unknown', how: 'answered', decision: 'reject' })
      }
      if (event.kind === 'question-open' && event.question === 'confirmation')
        run.answer({ token: event.token, how: 'answered', decision: 'accept' })
    }
  })
  await judgeRun(played)
  expect(isTaken).toBe(true)
  expect(textOf(played.events)).toContain('I heard: by train, {place}, please\n')
  expect(textOf(played.events)).toContain('Prague')
  // An answer to a question that is not open yet does not count.
  expect(toolsOf(played.events)).toContain('book_trip')
})

test('writes 10 000 pieces where it shall be long', async () => {
  const played = await play('long fast')
  const state = await judgeRun(played)
  expect(played.events.filter(({ kind }) => kind === 'text-delta').length).toBe(longPieces)
  expect(played.completion).toMatchObject({ finalText: tableValues(state.outputs)[0]?.text })
  expect(played.events.at(-1)).toMatchObject({ kind: 'usage', outputTokens: longPieces, inputTokens: 2 })
})

test('goes on with a session of its own, and says so', async () => {
  const first = await play('trip fast quiet')
  const handle = first.completion instanceof SluiceError ? '' : first.completion.handle
  const extensions = { 'agent_api.session.resume.v1': { selector: 'id', id: handle } }
  const second = await play('fix fast quiet', 'reject', { extensions })
  expect(textOf(second.events)).toMatch(/^Let us go on where we were\.\n/)
  expect(second.completion).toMatchObject({ handle })
  expect(second.events[0]).toMatchObject({ code: 'agent_session', meta: { agent: { session: handle } } })
})

test('refuses what it does not take', () => {
  expect(() => agent.check({ prompt: ' ' })).toThrow(expect.objectContaining({ code: 'invalid_run' }))
  const extensions = { 'agent_api.session.fork.v1': { selector: 'last' } }
  const unsupported = expect.objectContaining({ code: 'unsupported_capability' })
  expect(() => agent.run({ prompt: 'x', extensions }, { clock: systemClock })).toThrow(unsupported)
})

/** Plays without answers on a clock that a test moves from timer to timer; stops when no timer is left. */
async function playDriven(prompt: string, until: (count: number) => boolean, timeoutMs?: number) {
  const clock = createDrivenClock()
  const run = createDemoAgent(omitUndefined({ timeoutMs })).run({ prompt }, { clock })
  const events: SluiceEvent[] = []
  const reading = (async () => {
    for await (const output of run.outputs) events.push(...eventsOf(output))
  })()
  for (;;) {
    await new Promise(setImmediate)
    if (until(events.length) || !clock.runNext()) break
  }
  return { clock, run, events, reading }
}

test('takes time by the clock of its host alone, and longer where it shall be slow', async () => {
  const took: number[] = []
  for (const speed of ['', 'slow']) {
    const startedAt = createDrivenClock().now()
    const { clock, run, reading } = await playDriven(`trip quiet ${speed}`, () => false)
    await reading
    await run.completion
    took.push(clock.now() - startedAt)
    expect(clock.timers).toBe(0)
  }
  const [normal = 0, slow = 0] = took
  expect(normal).toBeGreaterThan(5000)
  expect(normal).toBeLessThan(60_000)
  expect(slow).toBe(normal * 4)
})

test('fails when its time is over, and ends the text that it was at', async () => {
  const { run, events, reading, clock } = await playDriven('trip quiet', () => false, 500)
  await reading
  await expect(run.completion).rejects.toMatchObject({ message: 'demo backend error: timeout' })
  expect(events.at(-2)).toMatchObject({ kind: 'text-end', interrupted: true })
  expect(events.at(-1)).toMatchObject({ kind: 'notice', level: 'error' })
  expect(clock.timers).toBe(0)
})

test('can be cancelled at any moment: nothing follows, and no timer is left', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom('trip', 'trip fast', 'fix', 'fix fast quiet', 'long fast', 'trip fail quiet'),
    fc.integer({ min: 0, max: 400 }),
    async (prompt, count) => {
      const { clock, run, events, reading } = await playDriven(prompt, (told) => told >= count, 600_000)
      const isOver = await Promise.race([reading.then(() => true), new Promise(setImmediate)])
      run.cancel()
      run.cancel()
      const told = events.length
      await reading
      expect(events.length).toBe(told)
      const outcome = await run.completion.then(
        () => 'completed',
        (error: unknown) => (error instanceof SluiceError ? error.code : 'none'),
      )
      if (isOver !== true) expect(outcome).toBe('run_cancelled')
      expect(clock.timers).toBe(0)
      expect(run.message('more')).toBe(false)
    },
  )
  await fc.assert(property, { numRuns: runs(40) })
})

test('100 runs at the same time finish without loss', async () => {
  const one = await play('fix fast')
  const all = await Promise.all(Array.from({ length: 100 }, () => play('fix fast')))
  for (const played of all) expect(played).toEqual(one)
})

test('is understood in every dialect', async () => {
  const { events } = await play('fix fast')
  for (const dialect of dialects) {
    let intake = createIntake(createSessionState({ id: 'sess_demo' }))
    let view = dialect.encode.enter(intake.session, startCursor).state
    let frames = 0
    for (const event of [{ kind: 'session-start' } as const, ...events]) {
      const made = { at: 1, direction: 'event', source: { dialect: 'sluice' } } as const
      const admission = admitMade(intake, [event], made)
      intake = admission.intake
      if (!admission.ok) throw new Error(admission.finding.code)
      const encoded = dialect.encode.step(view, admission.entry)
      view = encoded.state
      for (const { data } of encoded.frames) expect(dialect.validate(JSON.parse(data))).toEqual([])
      frames += encoded.frames.length
    }
    expect(frames).toBeGreaterThan(50)
  }
})
