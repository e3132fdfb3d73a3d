import { SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../client.ts'
import { collect } from '../testing/collect.ts'
import { answerJson } from '../testing/peer.ts'
import { type SessionPeer, type SessionPeerOptions, startSessionPeer } from '../testing/session-peer.ts'
import type { AgentSession } from './agent-session.ts'
import type { CreateAgentSession } from './session-options.ts'

let peer: SessionPeer | undefined
afterEach(() => peer?.close())

/** A session of a client that does not wait between attempts. */
async function begin(
  given: Partial<CreateAgentSession> = {},
  options: SessionPeerOptions = {},
  client: Partial<ClientOptions> = {},
) {
  peer = await startSessionPeer(options)
  const session = await createClient({ url: peer.url, random: () => 0, ...client }).createSession({
    agent: 'mover',
    ...given,
  })
  return { session, peer }
}

const deletion = { action: 'Delete 3 files', consequence: 'They are gone.', irreversible: true }
const refusedBy = (rule: string) => expect.objectContaining({ code: 'events_refused', details: { rule } })

describe('createSession()', () => {
  test('creates the session with what is known of it, and begins it', async () => {
    const { session, peer } = await begin({
      id: 'sess_peer',
      labels: { team: 'a' },
      context: 'ctx',
      agent: { id: 'mover', version: '2' },
      request: 'Tidy up.',
      tools: ['rm'],
      language: 'de',
    })
    expect(session.id).toBe('sess_peer')
    await session.flush()
    const [creation, publication] = peer.requests.filter(({ method }) => method === 'POST')
    expect(JSON.parse(creation?.body ?? '')).toEqual({
      id: 'sess_peer',
      labels: { team: 'a' },
      context: 'ctx',
    })
    expect(publication?.url.search).toBe('?dialect=sluice')
    expect(peer.published()).toEqual([
      {
        kind: 'session-start',
        request: 'Tidy up.',
        tools: ['rm'],
        meta: { agent: { id: 'mover', version: '2' }, localization: { primary_language: 'de' } },
      },
    ])
  })

  test('rejects with what the gateway says of the session', async () => {
    const intercept: SessionPeerOptions['intercept'] = (path, response) => {
      if (path === '/v1/sessions') answerJson(response, { code: 'session_exists' }, { status: 409 })
      return path === '/v1/sessions'
    }
    await expect(begin({}, { intercept })).rejects.toMatchObject({ code: 'session_exists' })
  })
})

describe('a session', () => {
  test('tells a whole story in order', async () => {
    const clock = createDrivenClock()
    const { session, peer } = await begin({}, {}, { clock })
    session.state('thinking', { summary: 'Looking at the files.' })
    session.progress({ percent: 50, step: 1, total: 2, text: 'Half of it', etaMs: 3_000 })
    const tool = session.tool('ls', { id: 'call_1', args: { path: '/' }, argsSummary: 'the root' })
    clock.advance(40)
    tool.done(['a', 'b'])
    session.text('Gr\ud83d', { contentType: 'text/markdown' })
    session.text('\ude00ss')
    session.endText()
    session.handoff({ reason: 'Too hard.', target: 'human', uri: 'https://example.org/desk' })
    clock.advance(10)
    await session.complete('Listed 2 files.')
    const call = { call: 'call_1', tool: 'ls' }
    const delta = {
      kind: 'text-delta',
      output: 'main',
      take: 0,
      channel: 'answer',
      contentType: 'text/markdown',
    }
    expect(peer.published()).toEqual([
      { kind: 'session-start', meta: { agent: { id: 'mover' } } },
      { kind: 'state-change', to: 'thinking', meta: { summaries: { normal: 'Looking at the files.' } } },
      { kind: 'progress', percent: 50, step: 1, total: 2, text: 'Half of it', etaMs: 3_000 },
      { kind: 'tool-call', ...call, args: { path: '/' }, argsSummary: 'the root' },
      { kind: 'tool-result', ...call, status: 'success', result: ['a', 'b'], durationMs: 40 },
      { ...delta, text: 'Gr', position: 0, held: '\ud83d' },
      { ...delta, text: '😀ss', position: 2, joins: true },
      { kind: 'text-end', output: 'main', take: 0 },
      { kind: 'handoff', reason: 'Too hard.', target: 'human', uri: 'https://example.org/desk' },
      {
        kind: 'session-end',
        outcome: 'completed',
        durationMs: 50,
        meta: { summaries: { normal: 'Listed 2 files.' } },
      },
    ])
  })

  test('runs a tool and tells how it went', async () => {
    const { session, peer } = await begin()
    const timeout = Object.assign(new Error('Too slow.'), { name: 'TimeoutError' })
    const runs = [
      session.tool('a', { report: (n: number) => n + 1 }, async () => 1),
      session.tool('b', {}, () => 'not told'),
      session.tool('c', {}, () => Promise.reject(new Error('No such file.'))),
      session.tool('d', {}, () => Promise.reject(timeout)),
    ]
    const results = await Promise.allSettled(runs)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    await session.complete()
    const told = peer.published().flatMap((event) => (event.kind === 'tool-result' ? [event] : []))
    const byTool = Object.fromEntries(
      told.map(({ tool, status, result, message }) => [tool, { status, result, message }]),
    )
    expect(byTool).toEqual({
      a: { status: 'success', result: 2, message: undefined },
      b: { status: 'success', result: undefined, message: undefined },
      c: { status: 'error', result: undefined, message: 'No such file.' },
      d: { status: 'timeout', result: undefined, message: 'Too slow.' },
    })
  })

  test('publishes a long text in pieces that a gateway takes', async () => {
    const { session, peer } = await begin()
    const long = '😀'.repeat(100_000)
    await session.text(long)
    const texts = peer.published().flatMap((event) => (event.kind === 'text-delta' ? [event.text] : []))
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.join('')).toBe(long)
  })

  test.each<[string, (session: AgentSession) => unknown, string]>([
    ['text after its end', (s) => [s.text('a'), s.endText(), s.text('b')], 'chunk_after_complete'],
    ['the end of a text twice', (s) => [s.endText(), s.endText()], 'chunk_after_complete'],
    ['reasoning in an answer', (s) => [s.text('a'), s.text('b', { channel: 'reasoning' })], 'other_channel'],
    ['a call twice', (s) => [s.tool('a', { id: 'x' }), s.tool('b', { id: 'x' })], 'call_repeated'],
    ['a result twice', (s) => [s.tool('a')].map((t) => [t.done(), t.fail('no')]), 'result_without_call'],
    ['what cannot be undone, unasked', (s) => s.tool('rm', { irreversible: true }), 'unconfirmed'],
    ['accept by default', (s) => s.confirm({ ...deletion, default: 'accept' }), 'unsafe_default'],
    [
      'accept by default at medium risk',
      (s) => s.confirm({ ...deletion, risk: 'medium', default: 'accept' }),
      'unsafe_default',
    ],
    ['the same confirmation twice', (s) => [s.confirm(deletion), s.confirm(deletion)], 'asked_twice'],
    ['another state while it waits', (s) => [s.confirm(deletion), s.state('thinking')], 'question_open'],
    ['completion while it waits', (s) => [s.ask({ question: 'Which?' }), s.complete()], 'question_open'],
    ['completion with an open call', (s) => [s.tool('a'), s.complete()], 'call_left_open'],
  ])('refuses %s before anything is sent', async (_, misuse, rule) => {
    const { session, peer } = await begin()
    expect(() => misuse(session)).toThrow(refusedBy(rule))
    const allowed = peer.published().length
    await session.fail('Over.')
    expect(peer.published().at(-1)).toMatchObject({ kind: 'session-end', outcome: 'failed' })
    expect(peer.published().length).toBeGreaterThan(allowed)
  })

  test.each<[string, (session: AgentSession) => unknown]>([
    ['a state without a name', (s) => s.state('')],
    ['empty progress', (s) => s.progress({})],
    ['more than all', (s) => s.progress({ percent: 101 })],
    ['a step beyond the last', (s) => s.progress({ step: 4, total: 3 })],
    ['a tool without a name', (s) => s.tool('')],
    ['arguments that are no JSON', (s) => s.tool('a', { args: 1n as unknown as number })],
    ['a question without words', (s) => s.ask({ question: '' })],
    ['one choice', (s) => s.ask({ question: 'Which?', choices: [{ value: 'a', label: 'A' }] })],
    ['a choice without choices', (s) => s.ask({ question: 'Which?', kinds: ['multiple_choice'] })],
    ['a timeout beyond a day', (s) => s.confirm({ ...deletion, timeoutMs: 86_400_001 })],
    ['a handoff without a reason', (s) => s.handoff({ reason: '', target: 'human' })],
  ])('refuses %s as a bad request', async (_, misuse) => {
    const { session, peer } = await begin()
    expect(() => misuse(session)).toThrow(expect.objectContaining({ code: 'bad_request' }))
    await session.complete()
    expect(peer.published().map(({ kind }) => kind)).toEqual(['session-start', 'session-end'])
  })

  test.each<[string, (session: AgentSession) => Promise<void>]>([
    ['complete', (s) => s.complete()],
    ['fail', (s) => s.fail(new Error('secret path'))],
    ['cancel', (s) => s.cancel('No longer needed.')],
  ])('takes nothing after %s', async (_, end) => {
    const { session } = await begin()
    await end(session)
    const ended = expect.objectContaining({ code: 'session_ended' })
    expect(() => session.text('more')).toThrow(ended)
    expect(() => session.complete()).toThrow(ended)
    expect(() => session.confirm(deletion)).toThrow(ended)
    expect(session.signal.aborted).toBe(false)
  })

  test('closes what is open when it fails or is cancelled', async () => {
    const { session, peer } = await begin()
    session.text('half a')
    session.tool('slow', { id: 'call_1' })
    const asked = session.confirm(deletion)
    await session.fail({ category: 'transient', message: 'The disk is full.', recoverable: true })
    expect(await asked).toEqual({ decision: 'reject', how: 'cancelled' })
    expect(peer.published().slice(-4)).toEqual([
      { kind: 'question-close', token: expect.stringMatching(/^rpl_[0-9a-f]{32}$/), how: 'cancelled' },
      { kind: 'tool-result', call: 'call_1', tool: 'slow', status: 'timeout' },
      { kind: 'text-end', output: 'main', take: 0, interrupted: true },
      {
        kind: 'session-end',
        outcome: 'failed',
        error: { category: 'transient', message: 'The disk is full.', recoverable: true },
        meta: { summaries: { normal: 'The disk is full.' } },
      },
    ])
  })

  test('does not tell the result of a tool whose session has ended meanwhile', async () => {
    const { session, peer } = await begin()
    let finish = () => {}
    const running = session.tool('slow', {}, () => new Promise<void>((resolve) => (finish = resolve)))
    await session.cancel()
    finish()
    await running
    expect(peer.published().filter(({ kind }) => kind === 'tool-result')).toHaveLength(1)
  })

  test('ends with the first failure when an event was refused', async () => {
    const { session } = await begin(
      {},
      {},
      {
        fetch: (url, init) =>
          typeof init.body === 'string' && init.body.includes('too much')
            ? Promise.resolve(
                Response.json(
                  { code: 'events_refused', refused: [{ line: 1, code: 'too_deep' }] },
                  { status: 422 },
                ),
              )
            : fetch(url, init),
      },
    )
    await session.flush()
    await expect(session.text('too much')).rejects.toMatchObject({ code: 'events_refused' })
    await expect(session.complete()).rejects.toBeInstanceOf(SluiceError)
  })
})

describe('confirm()', () => {
  test('asks, waits and allows what was accepted', async () => {
    const { session, peer } = await begin()
    const asked = session.confirm({ ...deletion, risk: 'high', timeoutMs: 60_000 })
    const opened = await peer.untilPublished('question-open')
    expect(opened).toEqual({
      kind: 'question-open',
      question: 'confirmation',
      token: expect.stringMatching(/^rpl_[0-9a-f]{32}$/),
      text: 'Delete 3 files',
      consequence: 'They are gone.',
      default: 'reject',
      timeoutMs: 60_000,
      risk: 'high',
      irreversible: true,
    })
    peer.say({ type: 'answer', token: 'rpl_forged', how: 'answered', decision: 'reject' })
    peer.say({ type: 'answer', token: opened.token, how: 'answered', decision: 'accept', by: 'ada' })
    expect(await asked).toEqual({ decision: 'accept', how: 'answered', by: 'ada' })
    session.tool('rm', { irreversible: true }).done()
    await session.complete()
    expect(peer.published().map(({ kind }) => kind)).toContain('tool-call')
  })

  test.each([
    [{ how: 'answered', decision: 'reject' }, deletion],
    [{ how: 'timeout', decision: 'reject' }, deletion],
    [{ how: 'timeout' }, deletion],
    [
      { how: 'timeout', decision: 'accept' },
      { ...deletion, irreversible: false, default: 'accept' },
    ],
    [
      { how: 'answered', decision: 'later' },
      { ...deletion, allowed: ['accept', 'later'] },
    ],
  ] as const)('allows nothing that cannot be undone after %j', async (answer, asked) => {
    const { session } = await begin({}, { answer: () => answer })
    expect(await session.confirm(asked)).toEqual({ decision: 'reject', ...answer })
    expect(() => session.tool('rm', { irreversible: true })).toThrow(refusedBy('unconfirmed'))
  })

  test('allows it after a timeout where the question said so', async () => {
    const { session } = await begin({}, { answer: () => ({ how: 'timeout', decision: 'accept' }) })
    await session.confirm({ ...deletion, risk: 'low', default: 'accept' })
    await session.tool('rm', { irreversible: true, risk: 'low' }).done()
  })

  test('withdraws the permission with the next rejection', async () => {
    const decisions = ['accept', 'reject']
    const { session } = await begin(
      {},
      { answer: () => ({ how: 'answered', decision: decisions.shift() ?? '' }) },
    )
    await session.confirm(deletion)
    await session.confirm({ ...deletion, action: 'Delete the rest' })
    expect(() => session.tool('rm', { irreversible: true })).toThrow(refusedBy('unconfirmed'))
  })

  test('hears an answer that came while the connection was broken', async () => {
    const { session, peer } = await begin()
    const asked = session.confirm(deletion)
    const { token } = await peer.untilPublished('question-open')
    peer.drop()
    peer.say({ type: 'answer', token, how: 'answered', decision: 'accept' })
    expect(await asked).toEqual({ decision: 'accept', how: 'answered' })
  })

  test('takes the question back when its signal is aborted', async () => {
    const { session, peer } = await begin()
    const controller = new AbortController()
    const asked = session.confirm({ ...deletion, signal: controller.signal })
    const { token } = await peer.untilPublished('question-open')
    const reason = new Error('changed my mind')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    expect(await peer.untilPublished('question-close')).toEqual({
      kind: 'question-close',
      token,
      how: 'cancelled',
    })
    await expect(session.confirm({ ...deletion, signal: controller.signal })).rejects.toBe(reason)
    await session.complete()
  })

  test('rejects when the question was refused, and the session goes on', async () => {
    const { session } = await begin(
      {},
      {},
      {
        fetch: (url, init) =>
          typeof init.body === 'string' && init.body.includes('question-open')
            ? Promise.resolve(
                Response.json(
                  { code: 'events_refused', refused: [{ line: 1, code: 'too_large' }] },
                  { status: 422 },
                ),
              )
            : fetch(url, init),
      },
    )
    await session.flush()
    await expect(session.confirm(deletion)).rejects.toMatchObject({ details: { rule: 'too_large' } })
    await session.state('thinking')
  })

  test('rejects when nothing can be heard of answers', async () => {
    const { session } = await begin(
      {},
      {
        intercept(path, response) {
          if (path.endsWith('/inputs')) answerJson(response, { code: 'forbidden' }, { status: 403 })
          return path.endsWith('/inputs')
        },
      },
    )
    await expect(session.confirm(deletion)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('ask()', () => {
  test.each([
    ['what was typed', {}, { how: 'answered', response: 'Lisbon', by: 'ada' }, 'Lisbon'],
    ['a number', { kinds: ['numeric'] }, { how: 'answered', response: 3 }, 3],
    ['yes as true', { kinds: ['yes_no'] }, { how: 'answered', response: 'yes' }, true],
    [
      'yes as text where text may come',
      { kinds: ['yes_no', 'freetext'] },
      { how: 'answered', response: 'yes' },
      'yes',
    ],
    ['a default in its type', { kinds: ['numeric'], default: 7 }, { how: 'timeout', response: '7' }, 7],
    [
      'a default of yes or no',
      { kinds: ['yes_no'], default: false },
      { how: 'timeout', response: 'no' },
      false,
    ],
    ['nothing without a default', {}, { how: 'timeout' }, undefined],
  ] as const)('gives %s', async (_, options, answer, response) => {
    const { session } = await begin({}, { answer: () => answer })
    const by = 'by' in answer ? { by: answer.by } : {}
    expect(await session.ask({ question: 'Which?', ...options })).toEqual({
      response,
      how: answer.how,
      ...by,
    })
  })

  test('offers choices as such', async () => {
    const { session, peer } = await begin({}, { answer: () => ({ how: 'answered', response: 'b' }) })
    const choices = [
      { value: 'a', label: 'A train' },
      { value: 'b', label: 'A bus' },
    ]
    expect(await session.ask({ question: 'Which?', choices, default: 'a' })).toMatchObject({ response: 'b' })
    expect(await peer.untilPublished('question-open')).toMatchObject({
      question: 'clarification',
      kinds: ['multiple_choice'],
      choices,
      default: 'a',
    })
    expect(() => session.ask({ question: 'Which?', choices, default: 'c' })).toThrow(/one of the choices/)
  })
})

describe('somebody', () => {
  test('who cancels aborts the signal and closes what is asked', async () => {
    const { session, peer } = await begin()
    const asked = session.ask({ question: 'Which?' })
    await peer.untilPublished('question-open')
    const aborted = new Promise((resolve) => session.signal.addEventListener('abort', resolve))
    peer.say({ type: 'cancel', reason: 'Too late.' })
    await aborted
    expect(session.signal.reason).toMatchObject({ name: 'AbortError', message: 'Too late.' })
    expect(await asked).toEqual({ response: undefined, how: 'cancelled' })
    expect(await session.confirm(deletion)).toEqual({ decision: 'reject', how: 'cancelled' })
    await session.cancel()
    expect(peer.published().slice(-2)).toEqual([
      { kind: 'question-close', token: expect.any(String), how: 'cancelled' },
      { kind: 'session-end', outcome: 'cancelled', by: 'user' },
    ])
  })

  test('who ends the session ends it here', async () => {
    const { session, peer } = await begin()
    const asked = session.confirm(deletion)
    await peer.untilPublished('question-open')
    peer.end('failed')
    expect(await asked).toEqual({ decision: 'reject', how: 'cancelled' })
    expect(session.signal.reason).toMatchObject({ code: 'session_ended' })
    expect(() => session.text('more')).toThrow(expect.objectContaining({ code: 'session_ended' }))
  })

  test('who sends messages is heard, and answers are left to those who asked', async () => {
    const { session, peer } = await begin({}, { answer: () => ({ how: 'answered', response: 'a' }) })
    await session.ask({ question: 'Which?' })
    const heard = collect(session.inputs())
    peer.say({ type: 'message', id: 'm1', parts: [{ type: 'text', text: 'Hurry.' }] })
    peer.say({ type: 'cancel' })
    await session.cancel()
    expect((await heard).map(({ type }) => type)).toEqual(['message', 'cancel'])
  })

  test('who aborts the signal of the session ends all waiting with its reason', async () => {
    const controller = new AbortController()
    const { session } = await begin({ signal: controller.signal })
    const asked = session.confirm(deletion)
    const reason = new Error('shutting down')
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    expect(session.signal.reason).toBe(reason)
  })
})

test('a session leaves no timer behind', async () => {
  const clock = createDrivenClock()
  const { session } = await begin({}, { answer: () => ({ how: 'answered', decision: 'accept' }) }, { clock })
  await session.confirm(deletion)
  await session.complete()
  expect(clock.timers).toBe(0)
})
