import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { a2a } from '../dialects/a2a/index.ts'
import { a2aV1 } from '../dialects/a2a-v1/index.ts'
import type { SluiceEvent, TextDelta } from '../events.ts'
import { foldEntry } from '../fold.ts'
import { isDeeperThan, type JsonValue } from '../json.ts'
import { createSessionState } from '../session-state.ts'
import { enterInside } from '../testing/enter-inside.ts'
import { essenceOf } from '../testing/projection.ts'
import { richSession } from '../testing/rich-session.ts'
import { encodeSession, entriesOf, type ReadSession, readSession } from '../testing/sessions.ts'

const delta = (text: string, more: Partial<TextDelta> = {}): SluiceEvent => ({
  kind: 'text-delta',
  output: 'out_1',
  take: 0,
  position: 0,
  text,
  channel: 'answer',
  ...more,
})

const fixtures = (id: string): URL => new URL(`../dialects/${id}/fixtures/`, import.meta.url)

const linesOf = (id: string, name: string): readonly string[] =>
  readFileSync(new URL(name, fixtures(id)), 'utf8')
    .trim()
    .split('\n')

/** The events of a session without what concerns only the reader. */
function bare(session: ReadSession): readonly unknown[] {
  return session.entries.flatMap(({ events }) =>
    events.map(({ meta, ...event }) => {
      const { ext: _ext, ...kept } = meta ?? {}
      return Object.keys(kept).length === 0 ? event : { ...event, meta: kept }
    }),
  )
}

describe.each([a2a, a2aV1])('$id', (dialect) => {
  const encode = (session: ReadSession): readonly string[] =>
    encodeSession(dialect, session.state, session.entries).map(({ data }) => data)

  test('a session of everything comes out as recorded, and comes back event for event', async () => {
    const session = entriesOf(richSession)
    const frames = encode(session)
    const recording = new URL('from-other-dialects.ndjson', fixtures(dialect.id))
    await expect(`${frames.join('\n')}\n`).toMatchFileSnapshot(recording.pathname)
    const back = readSession(dialect, frames)
    expect(back.findings).toEqual([])
    expect(bare(back)).toEqual(bare(session))
  })

  test('a task and what follows it are the whole session to a client that joins anywhere', () => {
    const session = entriesOf(richSession)
    let state = createSessionState({ id: session.state.id })
    for (const [index, entry] of session.entries.entries()) {
      state = foldEntry(state, entry)
      const joined = dialect.encode.enter(state, { seq: index })
      const frames = joined.frames.map(({ data }) => data)
      expect(frames).toHaveLength(1)
      let view = joined.state
      for (const later of session.entries.slice(index + 1)) {
        const encoded = dialect.encode.step(view, later)
        view = encoded.state
        frames.push(...encoded.frames.map(({ data }) => data))
      }
      const back = readSession(dialect, frames)
      expect(back.findings).toEqual([])
      expect(essenceOf(back.state)).toEqual(essenceOf(session.state))
    }
  })

  test('a chunk made of pieces is the chunk that is made in one', () => {
    const texts = ['"text":""', '\\', '\u0000 é 💖', '","metadata":{"sluice":{}}']
    const deltas = texts.map((text, index) => delta(text, { language: 'en', meta: { id: `e${index}` } }))
    const notice: SluiceEvent = { kind: 'notice', level: 'info', text: 'between' }
    const alone = encode(entriesOf([[delta('a')], ...deltas.map((event) => [event])]))
    const together = encode(entriesOf([[delta('a')], ...deltas.map((event) => [event, notice])]))
    expect(together.filter((data) => !data.includes('between')).slice(0, -2)).toEqual(alone.slice(0, -2))
  })

  test('a complete message that is too long is its length', () => {
    const piece = 'é'.repeat(100_000)
    const pieces = Array.from({ length: 3 }, () => [delta(piece)])
    const frames = encode(entriesOf([...pieces, [{ kind: 'text-end', output: 'out_1', take: 0 }]]))
    const final = frames.at(-2) ?? ''
    expect(final.length).toBeLessThan(1000)
    expect(final).toContain('"length":300000')
    const back = readSession(dialect, frames)
    expect(back.findings).toEqual([])
    expect(essenceOf(back.state).answers).toEqual([piece.repeat(3)])
    const wrong = [...frames.slice(0, 2), ...frames.slice(3)]
    expect(readSession(dialect, wrong).findings.map(({ code }) => code)).toEqual(['final_text_differs'])
  })

  test('a delta that stock clients could not read is sent in pieces, and joined inside', () => {
    const text = '💖'.repeat(300_000)
    const session = entriesOf([[delta('a')], [delta(text, { hint: 'word' })]])
    const frames = encodeSession(dialect, session.state, session.entries)
    for (const { data } of frames.slice(0, -2)) expect(data.length).toBeLessThan(1_000_000)
    const pieces = frames.filter(({ cursor }) => cursor.seq === 1)
    expect(pieces).toHaveLength(3)
    const [before, inside] = session.entries
    const [first] = pieces
    if (before === undefined || inside === undefined || first === undefined) throw new Error('unreachable')
    const state = foldEntry(createSessionState({ id: session.state.id }), before)
    const joined = enterInside(dialect, { before: state, entry: inside }, first.cursor)
    expect(joined.frames.slice(1).map(({ data }) => data)).toEqual(pieces.slice(1).map(({ data }) => data))
  })

  test('what nests too deep for a frame comes as JSON text', () => {
    let args: JsonValue = 'core'
    for (let depth = 0; depth < 60; depth++) args = [args]
    const frames = encode(entriesOf([[{ kind: 'tool-call', call: 'c', tool: 't', args }]]))
    for (const frame of frames) expect(isDeeperThan(JSON.parse(frame) as JsonValue, 62)).toBe(false)
    expect(frames.join('')).toContain('[\\"core\\"]')
  })

  test('payloads stand in the history and in data parts, and nowhere else', () => {
    const session = entriesOf([
      [{ kind: 'session-start', request: 'SECRET-request' }],
      [{ kind: 'tool-call', call: 'c', tool: 't', args: { q: 'SECRET-args' } }],
      [{ kind: 'tool-call-delta', call: 'c', argsText: 'SECRET-delta' }],
      [
        {
          kind: 'tool-result',
          call: 'c',
          tool: 't',
          status: 'error',
          result: 'SECRET-result',
          message: 'SECRET-why',
        },
      ],
    ])
    const task = dialect.encode.enter(session.state, { seq: 4 }).frames.map(({ data }) => data)
    for (const frame of [...encode(session), ...task]) {
      const value = JSON.parse(frame, (key, member) =>
        key === 'history' || key === 'data' ? 'left out' : member,
      )
      expect(JSON.stringify(value)).not.toContain('SECRET')
    }
  })

  test('ids that not every client can read are written readable, and stay apart', () => {
    const calls = ['\ud83d', '\ude00'].flatMap((call): SluiceEvent[] => [
      { kind: 'tool-call', call, tool: 'search' },
      { kind: 'question-open', question: 'clarification', token: call, text: 'Go on?' },
      delta('Hello', { output: call }),
    ])
    const session = entriesOf(calls.map((event) => [event]))
    const frames = encode(session)
    for (const frame of frames) expect(frame).not.toMatch(/\\ud/)
    const back = readSession(dialect, frames)
    expect(back.findings).toEqual([])
    expect(essenceOf(back.state)).toEqual(essenceOf(session.state))
  })

  test('a frame names its task and its context, also inside an envelope', () => {
    for (const name of ['hello-world', 'single-message', 'other-producers'])
      for (const line of linesOf(dialect.id, `${name}.ndjson`)) {
        const identity = { session: 'task-7f3a', context: 'ctx-42' }
        const value = JSON.parse(line) as JsonValue
        expect(dialect.identify(value)).toEqual(identity)
        expect(dialect.identify({ jsonrpc: '2.0', id: 1, result: value })).toEqual(identity)
        expect(dialect.recognizes(value)).toBe(true)
      }
    expect(dialect.identify('text')).toEqual({})
  })

  test('an error of JSON-RPC is a notice', () => {
    const error = { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal error' } }
    const { entries } = readSession(dialect, [JSON.stringify(error)], { isEnded: false })
    expect(entries[0]?.events.at(-1)).toEqual({
      kind: 'notice',
      level: 'error',
      text: 'Internal error',
      code: '-32603',
    })
  })
})

const shared = readdirSync(fixtures('a2a')).filter((name) => /^(?!broken).*\.ndjson$/.test(name))
describe.each([
  { from: a2a, to: a2aV1 },
  { from: a2aV1, to: a2a },
])('$from.id to $to.id', ({ from, to }) => {
  test.each(shared)('%s says the same in the other version', (name) => {
    const session = readSession(from, linesOf(from.id, name))
    const frames = encodeSession(to, session.state, session.entries).map(({ data }) => JSON.parse(data))
    const expected = linesOf(to.id, name).map((line) => JSON.parse(line))
    for (const value of expected) if (from !== to) delete (value.task ?? value).vendorField
    for (const value of expected) delete (value.statusUpdate ?? value).status?.message?.vendor
    expect(frames).toEqual(expected)
  })
})
