import { omitUndefined, type SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { drain, entriesAt, openTestPacer, pacerOptions, startTestPacing } from '../../../testing/pace-text.ts'
import type { Terms } from '../terms.ts'
import { addEntry } from './add-entry.ts'
import type { Paced } from './pace-step.ts'
import { countWaiting, isFull } from './pacer.ts'
import { stepPacer } from './step-pacer.ts'

const start: SluiceEvent = { kind: 'session-start' }
const end: SluiceEvent = { kind: 'session-end', outcome: 'completed' }
const call = (id: string): SluiceEvent => ({ kind: 'tool-call', call: id, tool: 'search' })
const state = (to: string): SluiceEvent => ({ kind: 'state-change', to })
const at0 = 1_800_000_000_000

function delta(
  text: string,
  options: Partial<Extract<SluiceEvent, { kind: 'text-delta' }>> = {},
): SluiceEvent {
  return { kind: 'text-delta', output: 'a', take: 0, position: 0, text, channel: 'answer', ...options }
}

/** The chunks of a text that arrives one character at a time, ten per second. */
async function chunksOf(text: string, language: string | undefined, terms: Partial<Terms> = {}) {
  const pacer = await openTestPacer(pacerOptions(terms))
  const pieces = [...text].map((piece) => delta(piece, omitUndefined({ language })))
  const chunks: string[] = []
  for (const entry of entriesAt([start, ...pieces, end], (index) => at0 + index * 20)) {
    pacer.add(entry)
    for (const { chunk } of drain(pacer, entry.at).values) if (chunk !== undefined) chunks.push(chunk)
  }
  return chunks
}

test.each([
  [
    'en',
    [
      'Dr. Smith paid $3.50 at 8.30 a.m. on Monday. ',
      'Then e.g. Bob left... ',
      '"Why?" ',
      'she asked. ',
      'End.',
    ],
  ],
  ['en', ['To do:\n', '- buy milk\n', '- call Bob\n', '1. first\n', '2. second\n', '\nDone.']],
  ['de', ['Das kostet z.B. 3,50 Euro. ', 'Am 3. Mai kommt Dr. Müller. ', 'Gut.']],
  ['ja', ['電車は遅れます。', 'どうしますか？', '待ちます。']],
  ['zh', ['火车晚点了。', '怎么办？', '等一等。']],
  ['ar', ['القطار متأخر. ', 'هل ننتظر؟ ', 'نعم.']],
  ['th', ['รถไฟมาสาย ', 'เราจะรอ ', 'ขอบคุณ']],
  ['fr', ['Il est 8 h 30. ', 'Pourquoi ? ', 'M. Dupont attend.']],
])('a text in %s leaves sentence by sentence', async (language, sentences) => {
  const chunks = await chunksOf(sentences.join(''), language)
  expect(chunks.filter((chunk) => chunk !== '')).toEqual(sentences)
})

test('a long run without any boundary leaves in pieces at words, and none is longer than asked', async () => {
  const chunks = await chunksOf('word '.repeat(400), 'en')
  expect(chunks.join('')).toBe('word '.repeat(400))
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(401)
  for (const chunk of chunks.slice(0, -1)) expect(chunk).toMatch(/ $/)
})

test('a backlog leaves in pieces of the same size as live text', async () => {
  const pacer = await openTestPacer(pacerOptions())
  const text = 'This is a sentence of some length, or not. '.repeat(500)
  for (const entry of entriesAt([start, delta(text), end], () => at0)) pacer.add(entry)
  const chunks = drain(pacer, at0 + 86_400_000).values.flatMap(({ chunk }) => chunk ?? [])
  expect(chunks.join('')).toBe(text)
  for (const chunk of chunks.slice(0, -1)) {
    expect(chunk.length).toBeLessThanOrEqual(400)
    expect(chunk).toMatch(/not\. $/)
  }
})

test('a long text without boundaries leaves in chunks that are one event each', async () => {
  const pacer = await openTestPacer(pacerOptions({ boundaries: ['none'] }))
  for (const entry of entriesAt([start, delta('word '.repeat(8000))], () => at0)) pacer.add(entry)
  const chunks = drain(pacer, at0).values.flatMap(({ chunk }) => chunk ?? [])
  expect(chunks.map((chunk) => chunk.length)).toEqual([16_000, 16_000, 8000])
})

test('a rate that is used up lets text grow to a bound, and says that it is full', async () => {
  const pacer = await openTestPacer(pacerOptions({ maxEventsPerSecond: 1, boundaries: ['completion'] }))
  const pieces = Array.from({ length: 4000 }, () => delta('four'))
  let taken = 0
  for (const entry of entriesAt([start, ...pieces], () => at0)) {
    if (isFull(pacer.state)) break
    pacer.add(entry)
    taken += 1
    expect(pacer.step({ now: at0, isReady: false })).toEqual({ type: 'full' })
  }
  expect(taken).toBe(4001)
  expect(isFull(pacer.state)).toBe(true)
  expect(drain(pacer, at0).values.map(({ chunk }) => chunk?.length ?? 0)).toEqual([0, 16_000])
  expect(isFull(pacer.state)).toBe(false)
})

test('large events fill the window before many of them are there', async () => {
  const pacer = await openTestPacer(pacerOptions({ maxEventsPerSecond: 1 }))
  const entries = entriesAt([start, ...Array.from({ length: 5 }, (_, index) => call(`c${index}`))], () => at0)
  for (const entry of entries) pacer.add({ ...entry, raw: ' '.repeat(300_000) })
  expect(isFull(pacer.state)).toBe(true)
  drain(pacer, at0)
  expect(isFull(pacer.state)).toBe(false)
})

test('text whose rest is in the log already is not cut by the time that has passed', async () => {
  const pacer = await openTestPacer(pacerOptions())
  const [begun, first, second] = entriesAt([start, delta('The train lea'), delta('ves now. ')], () => at0)
  if (begun === undefined || first === undefined || second === undefined) throw new Error('three were made')
  pacer.add(begun)
  pacer.add(first)
  const later = at0 + 3_600_000
  expect(pacer.step({ now: later, isReady: true, hasMore: true }).type).toBe('emit')
  expect(pacer.step({ now: later, isReady: true, hasMore: true })).toEqual({
    type: 'wait',
    until: Number.POSITIVE_INFINITY,
  })
  pacer.add(second)
  expect(drain(pacer, later).values.map(({ chunk }) => chunk)).toEqual(['The train leaves now. '])
})

test('thoughts that nobody reads leave nothing behind', async () => {
  const filters = { include: [], exclude: [] }
  const pacer = await openTestPacer(pacerOptions({ filters }))
  const thoughts = Array.from({ length: 50 }, (_, index): readonly SluiceEvent[] => [
    delta('Hm.', { output: `t${index}`, channel: 'reasoning' }),
    { kind: 'text-end', output: `t${index}`, take: 0 },
  ]).flat()
  for (const entry of entriesAt([start, ...thoughts], () => at0)) {
    pacer.add(entry)
    expect(drain(pacer, at0).values).toEqual([])
    expect(pacer.state.output.cursor).toEqual({ seq: entry.seq })
  }
  expect(countWaiting(pacer.state)).toBe(0)
})

test('text of two outputs that alternate keeps its order, and each output all of its text', async () => {
  const pacer = await openTestPacer(pacerOptions())
  const events = [
    delta('One '),
    delta('uno ', { output: 'b' }),
    delta('two. '),
    delta('dos. ', { output: 'b' }),
  ]
  for (const entry of entriesAt([start, ...events, end], () => at0)) pacer.add(entry)
  const chunks = drain(pacer, at0).values.flatMap(({ chunk }) => chunk ?? [])
  expect(chunks.filter((chunk) => chunk !== '')).toEqual(['One ', 'uno ', 'two. ', 'dos. '])
})

test('a text that begins anew is a text of its own', async () => {
  const pacer = await openTestPacer(pacerOptions({ boundaries: ['completion'] }))
  const reset: SluiceEvent = { kind: 'text-reset', output: 'a', take: 1, channel: 'answer' }
  const events = [start, delta('Wrong.'), reset, delta('Right.', { take: 1 }), end]
  for (const entry of entriesAt(events, () => at0)) pacer.add(entry)
  const { values } = drain(pacer, at0)
  expect(values.flatMap(({ chunk }) => chunk ?? []).join('|')).toMatch(/^Wrong\.\|+Right\.$/)
})

test('the latest state wins while it waits, and what is told tells one chain', async () => {
  const pacer = await openTestPacer(pacerOptions())
  const states = ['thinking', 'calling_tool', 'deciding', 'writing_output'].map(state)
  for (const entry of entriesAt([start, ...states], () => at0)) pacer.add(entry)
  expect(drain(pacer, at0).values.flatMap(({ to_state }) => to_state ?? [])).toEqual(['writing_output'])
})

test('a high load gets every state', async () => {
  const pacer = await openTestPacer(pacerOptions({ load: 'high' }))
  const states = ['thinking', 'calling_tool', 'deciding'].map(state)
  for (const entry of entriesAt([start, ...states], () => at0)) pacer.add(entry)
  expect(drain(pacer, at0).values.flatMap(({ to_state }) => to_state ?? [])).toEqual([
    'thinking',
    'calling_tool',
    'deciding',
  ])
})

test('other boundaries hold for text that waits, at once', async () => {
  const pacer = await openTestPacer(pacerOptions({ boundaries: ['paragraph'] }))
  for (const entry of entriesAt([start, delta('One. '), delta('Two and')], () => at0)) {
    pacer.add(entry)
    drain(pacer, at0)
  }
  pacer.renegotiate(pacerOptions({ boundaries: ['sentence'] }))
  expect(drain(pacer, at0).values.map(({ chunk }) => chunk)).toEqual(['One. '])
})

test('the next text waits while the last one is read, but what is behind it waits two seconds at most', async () => {
  const pacer = await openTestPacer(pacerOptions({ paceWpm: 60 }))
  const events = [
    start,
    delta('One two three four five six. '),
    delta('Seven. '),
    delta('Eight. '),
    call('c'),
  ]
  const [begun, first, ...rest] = entriesAt(events, () => at0)
  for (const entry of [begun, first]) if (entry !== undefined) pacer.add(entry)
  expect(drain(pacer, at0).values.length).toBe(2)
  for (const entry of rest) pacer.add(entry)
  expect(drain(pacer, at0).step).toEqual({ type: 'wait', until: at0 + 2000 })
  expect(drain(pacer, at0 + 2000).values.map(({ type }) => type.slice(11))).toEqual([
    'output.streaming',
    'tool.invoked',
  ])
})

test('a state never changes: any of them can be taken up again, and gives the same', async () => {
  const sentences = Array.from({ length: 40 }, (_, index) => delta(index % 5 === 4 ? 'end. ' : 'word '))
  const events = [start, ...sentences.slice(0, 20), state('thinking'), call('c'), ...sentences.slice(20), end]
  const entries = entriesAt(events, (index) => at0 + index * 100)
  let pacer = await startTestPacing(pacerOptions())
  const added = entries.map((entry, index) => {
    const before = pacer
    pacer = addEntry(pacer, entry)
    const steps: Paced[] = []
    // Every third time, the rate allows no event.
    const step = (): Paced => stepPacer(pacer, { now: entry.at, isReady: index % 3 > 0 })
    for (let paced = step(); ; paced = step()) {
      steps.push(paced)
      pacer = paced.state
      if (paced.step.type !== 'emit') break
    }
    return { entry, index, before, steps }
  })
  for (const { entry, index, before, steps } of added.toReversed()) {
    let again = addEntry(before, entry)
    for (const { step } of steps) {
      const paced = stepPacer(again, { now: entry.at, isReady: index % 3 > 0 })
      expect(paced.step).toEqual(step)
      again = paced.state
    }
  }
})
