import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dialects } from './dialects/index.ts'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { closeEntry } from './fold.ts'
import { admit, createIntake, parseFrame } from './intake.ts'
import { createSessionState, type SessionState } from './session-state.ts'
import { settle } from './settle.ts'
import { applyPatch, diffStates, fromSnapshot, toSnapshot } from './snapshot.ts'
import { tableGet, tableValues } from './table.ts'
import { growingSessions } from './testing/growth.ts'
import { runs } from './testing/runs.ts'
import { weigh } from './weigh.ts'
import { weighCall, weighData, weighItems, weighOutput, weighQuestion, window } from './window.ts'

const sluice = dialects.find(({ id }) => id === 'sluice')

interface Step {
  readonly state: SessionState
  readonly entry: Entry
}

/** The state after an entry with the given events. */
function step(before: SessionState, events: readonly SluiceEvent[]): Step {
  const settled = settle(before, events)
  const entry: Entry = {
    seq: before.seq + 1,
    at: before.at + 1,
    source: { dialect: 'none' },
    direction: 'event',
    clean: false,
    events: settled.events,
    diagnostics: [],
  }
  return { state: closeEntry(settled.state, entry), entry }
}

function grow(count: number, eventsOf: (n: number) => readonly SluiceEvent[]): SessionState {
  let state = createSessionState({ id: 'sess_1' })
  for (let n = 0; n < count; n++) state = step(state, eventsOf(n)).state
  return state
}

/** What the weight should be. */
function weighState(state: SessionState): number {
  const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0)
  return sum([
    ...tableValues(state.outputs).map(weighOutput),
    ...tableValues(state.calls).map(weighCall),
    ...tableValues(state.questions).map(weighQuestion),
    weighItems(state.messages),
    weighItems(state.sources),
    weighData(state.data),
  ])
}

/** Intake bounds what stays open. */
const endingSessions = Object.entries(growingSessions).filter(([name]) => !name.endsWith('stay open'))

const large = 'x'.repeat(20_000)

/** Sessions whose every entry adds much that is not open. */
const largeSessions: Readonly<Record<string, (n: number) => readonly SluiceEvent[]>> = {
  'one text': () => [delta('out', large)],
  'texts of their own': (n) => [delta(`out_${n}`, large), { kind: 'text-end', output: `out_${n}`, take: 0 }],
  'parts of one output': () => [{ kind: 'part-add', output: 'out', part: { type: 'data', data: { large } } }],
  messages: (n) => [{ kind: 'message', id: `m${n}`, role: 'agent', parts: [{ type: 'text', text: large }] }],
  sources: () => [{ kind: 'sources', items: [large] }],
  patches: (n) => [{ kind: 'state-data', patch: [{ op: 'add', path: `/k${n}`, value: large }] }],
  'calls with results': (n) => [
    { kind: 'tool-call', call: `c${n}`, tool: 't', args: { large } },
    { kind: 'tool-result', call: `c${n}`, tool: 't', status: 'success', result: large },
  ],
  'arguments in pieces': (n) => [
    ...(n === 0 ? [{ kind: 'tool-call', call: 'c', tool: 't' } as const] : []),
    { kind: 'tool-call-delta', call: 'c', argsText: large },
  ],
  'questions with answers': (n) => [
    { kind: 'question-open', question: 'clarification', token: `q${n}`, text: large },
    { kind: 'question-close', token: `q${n}`, how: 'answered', response: large },
  ],
  'long names': (n) => [
    { kind: 'tool-call', call: `${n} ${large}`, tool: large },
    { kind: 'tool-result', call: `${n} ${large}`, tool: large, status: 'error' },
  ],
  'long extensions': (n) => [
    { ...delta(`out_${n}`, 'x'), meta: { ext: { x: { large } } } },
    { kind: 'text-end', output: `out_${n}`, take: 0 },
  ],
}

function delta(output: string, text: string): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, text, position: 0, channel: 'answer' }
}

describe('a state', () => {
  test.each(Object.entries(largeSessions))('stays in its window: %s', (_, eventsOf) => {
    const state = grow(1000, eventsOf)
    expect(state.weight).toBe(weighState(state))
    expect(state.weight).toBeLessThanOrEqual(window.weight)
    expect(weigh(JSON.parse(JSON.stringify(toSnapshot(state))))).toBeLessThan(2 * window.weight)
  })

  test.each(endingSessions)('stays in its window, in small steps: %s', (_, eventsOf) => {
    const state = grow(20_000, eventsOf)
    expect(state.weight).toBe(weighState(state))
    for (const { size } of [state.outputs, state.calls, state.questions])
      expect(size).toBeLessThanOrEqual(window.rows)
    for (const { length } of [state.messages, state.sources, state.data?.patches ?? []])
      expect(length).toBeLessThanOrEqual(window.items)
  })

  test('keeps the end and the beginning of a long text, and says what is left out', () => {
    const words = Array.from({ length: 200_000 }, (_, n) => `word ${n} 💖 `)
    const state = grow(words.length / 100, (n) => [
      delta('out', words.slice(n * 100, n * 100 + 100).join('')),
    ])
    const output = tableGet(state.outputs, 'out')
    if (output === undefined) throw new Error('unreachable')
    const whole = words.join('')
    expect(output.length).toBe([...whole].length)
    expect(output.omitted).toBeGreaterThan(0)
    expect([...output.text].length + output.omitted).toBe(output.length)
    expect(whole.endsWith(output.text)).toBe(true)
    expect(whole.startsWith(output.head ?? 'none')).toBe(true)
    expect((output.text + (output.head ?? '')).isWellFormed()).toBe(true)
    expect(output.from).toBe(0)
  })

  test('counts what it forgets, and never uses a take or a call again', () => {
    let state = createSessionState({ id: 'sess_1' })
    const used = new Set<string>()
    for (let n = 0; n < 3 * window.rows; n++) {
      const id = `a${n % (window.rows + 7)}`
      const { state: next, entry } = step(state, [
        delta(id, 'x'),
        { kind: 'text-end', output: id, take: 0 },
        { kind: 'part-add', output: `b${n}`, part: { type: 'data', data: n } },
      ])
      for (const event of entry.events)
        if (event.kind === 'text-delta') {
          expect(used.has(`${event.output} ${event.take}`)).toBe(false)
          used.add(`${event.output} ${event.take}`)
        }
      state = next
    }
    expect(state.omitted?.outputs).toBe(state.outputs.next - state.outputs.size)
  })

  test('remembers of forgotten questions that one was accepted', () => {
    const state = grow(window.rows * 2, (n) => [
      { kind: 'question-open', question: 'confirmation', token: `q${n}`, text: 'May I?' },
      { kind: 'question-close', token: `q${n}`, how: 'answered', decision: n === 0 ? 'accept' : 'reject' },
    ])
    expect(tableGet(state.questions, 'q0')).toBeUndefined()
    expect(state.history.isConfirmed).toBe(true)
  })

  test('comes back from its snapshot and from patches after things were left out', () => {
    const kinds = endingSessions.map(([, eventsOf]) => eventsOf)
    let state = createSessionState({ id: 'sess_1' })
    let base = state
    let restored = state
    for (let n = 0; n < window.rows * 3; n++) {
      const eventsOf = kinds[n % kinds.length]
      state = step(state, [
        ...(eventsOf?.(n) ?? []),
        ...(growingSessions['calls with results']?.(n) ?? []),
      ]).state
      if (n % 700 !== 0) continue
      restored = applyPatch(restored, JSON.parse(JSON.stringify(diffStates(base, state))))
      base = state
    }
    restored = applyPatch(restored, JSON.parse(JSON.stringify(diffStates(base, state))))
    const whole = fromSnapshot(JSON.parse(JSON.stringify(toSnapshot(state))))
    expect(state.omitted?.calls).toBeGreaterThan(0)
    for (const back of [restored, whole]) {
      expect(JSON.stringify(toSnapshot(back))).toBe(JSON.stringify(toSnapshot(state)))
      expect([back.outputs.next, back.calls.next, back.questions.next]).toEqual([
        state.outputs.next,
        state.calls.next,
        state.questions.next,
      ])
    }
  })
})

describe.each(dialects.map(({ id, encode }) => ({ id, encode })))('a reader of $id', ({ encode }) => {
  test('gets the same frames wherever it joins a session of which something is left out', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.nat({ max: endingSessions.length - 1 })),
        fc.nat({ max: 40 }),
        (stream, late) => {
          let state = createSessionState({ id: 'sess_1' })
          let { state: view } = encode.enter(state, { seq: -1 })
          // Outputs that stay open while thousands are forgotten, one of them long.
          const begin = [
            delta('early', 'Open.'),
            delta('long', 'y'.repeat(window.wholeText)),
            delta('long', 'z'),
          ]
          const advance = (events: readonly SluiceEvent[]): string => {
            const next = step(state, events)
            const encoded = encode.step(view, next.entry)
            view = encoded.state
            state = next.state
            return encoded.frames.map(({ data }) => data).join('\n')
          }
          advance(begin)
          for (let n = 0; n < window.rows * 1.2; n++)
            advance([delta(`out_${n}`, 'x'), { kind: 'text-end', output: `out_${n}`, take: 0 }])
          let { state: joined } = encode.enter(state, { seq: state.seq })
          const rest = [...stream.take(late), 0]
          for (const [n, index] of rest.entries()) {
            const before = state
            const events = endingSessions[index]?.[1](100_000 + n) ?? []
            const expected = advance([
              ...events,
              ...(n === late ? [{ kind: 'session-end', outcome: 'completed' } as const] : []),
            ])
            const next = step(before, [
              ...events,
              ...(n === late ? [{ kind: 'session-end', outcome: 'completed' } as const] : []),
            ])
            const encoded = encode.step(joined, next.entry)
            joined = encoded.state
            expect(encoded.frames.map(({ data }) => data).join('\n')).toBe(expected)
          }
        },
      ),
      { numRuns: runs(2) },
    )
  })
})

describe('intake', () => {
  test.each(['texts that stay open', 'calls that stay open', 'questions that stay open'])(
    'refuses more of: %s',
    (name) => {
      if (sluice === undefined) throw new Error('unreachable')
      let intake = createIntake(createSessionState({ id: 'sess_1' }))
      const codes = new Set<string>()
      for (let n = 0; n < 1100; n++) {
        const events = growingSessions[name]?.(n) ?? []
        const parsed = parseFrame(JSON.stringify({ events }))
        if (!parsed.ok) throw new Error('unreachable')
        const admission = admit(intake, parsed.frame, { dialect: sluice, at: n })
        intake = admission.intake
        if (!admission.ok) codes.add(admission.finding.code)
      }
      expect([...codes]).toEqual(['too_much_open'])
      const { outputs, calls, questions } = intake.session.open
      expect([outputs.length, calls.length, questions.length].toSorted((a, b) => b - a)[0]).toBe(
        name.startsWith('texts')
          ? window.openOutputs
          : name.startsWith('calls')
            ? window.openCalls
            : window.openQuestions,
      )
    },
  )
})
