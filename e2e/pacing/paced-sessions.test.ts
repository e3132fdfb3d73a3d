import type { Entry, JsonObject } from '@sluice/protocol'
import { createSegmenter } from '@sluice/protocol/segment'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Terms, TextBoundary } from '../../packages/gateway/src/aaep/terms.ts'
import { anyEntries } from '../../packages/protocol/src/testing/arbitrary-events.ts'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { encodeSession, entriesOf, withoutRaw } from '../../packages/protocol/src/testing/sessions.ts'
import { aaep, defaultTerms, type Emitted, simulate, textsOf, timed } from './simulate.ts'

const anyTerms: fc.Arbitrary<Terms> = fc.record({
  maxEventsPerSecond: fc.option(fc.constantFrom(1, 2, 5, 20, 1000), { nil: undefined }),
  verbosity: fc.constant('normal'),
  languages: fc.constant(['en']),
  canConfirm: fc.boolean(),
  canClarify: fc.boolean(),
  boundaries: fc.uniqueArray(
    fc.constantFrom<TextBoundary>('none', 'word', 'sentence', 'paragraph', 'completion'),
    { minLength: 1 },
  ),
  filters: fc.constantFrom(
    { include: ['*'], exclude: [] },
    { include: ['aaep:agent.*'], exclude: [] },
    { include: ['aaep:agent.*'], exclude: ['aaep:agent.state.*', 'aaep:agent.progress.updated'] },
    { include: ['aaep:agent.output.*'], exclude: [] },
    { include: ['*'], exclude: ['aaep:agent.awaiting.*', 'aaep:agent.session.*'] },
  ),
  load: fc.constantFrom('low', 'medium', 'high'),
  paceWpm: fc.option(fc.constantFrom(50, 150, 1000), { nil: undefined }),
})

const anySession = fc
  .tuple(
    fc.oneof(anyEntries, fc.constant(richSession), prose()),
    fc.array(fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3000 })), { minLength: 1 }),
  )
  .map(([groups, gaps]) => timed(entriesOf(groups).entries, gaps))

/** Running text in small pieces, with something else now and then. */
function prose() {
  const piece = fc.constantFrom(
    'The ',
    'train',
    ' leaves',
    ' at 8.30',
    ' e.g. ',
    'to Dr. ',
    'Who. ',
    'It',
    ' is',
    ' late',
    '. ',
    '...',
    ' wait! ',
    'Why',
    '? ',
    '\n',
    '\n\n',
    '- one\n',
    '1. two\n',
    '電車は',
    '遅れます。',
    'รถไฟ ',
    'มาสาย ',
    'القطار ',
    'متأخر. ',
    '👍🏽',
    'a',
  )
  const delta = piece.map((text) => ({
    kind: 'text-delta' as const,
    output: 'a',
    take: 0,
    text,
    position: 0,
    channel: 'answer' as const,
  }))
  const other = fc.constantFrom(
    { kind: 'progress' as const, percent: 10 },
    { kind: 'progress' as const, percent: 20 },
    { kind: 'state-change' as const, to: 'thinking' },
    { kind: 'state-change' as const, to: 'deciding' },
    { kind: 'tool-call' as const, call: 'c1', tool: 'search' },
    { kind: 'usage' as const, inputTokens: 1 },
    {
      kind: 'question-open' as const,
      question: 'confirmation' as const,
      token: 'rpl_1',
      text: 'Go on?',
      timeoutMs: 60_000,
      default: 'reject',
    },
  )
  return fc.array(
    fc.oneof({ arbitrary: delta, weight: 6 }, { arbitrary: other, weight: 1 }).map((event) => [event]),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
}

const isCriticalValue = (value: JsonObject): boolean => value['urgency'] === 'critical'
const told: ReadonlySet<unknown> = new Set([
  'aaep:agent.tool.invoked',
  'aaep:agent.tool.completed',
  'aaep:agent.awaiting.confirmation',
  'aaep:agent.awaiting.clarification',
  'aaep:agent.handoff.requested',
  'aaep:agent.session.started',
  'aaep:agent.session.completed',
  'aaep:agent.session.errored',
  'aaep:agent.session.cancelled',
])
const kept = (values: readonly JsonObject[], passes: (type: unknown) => boolean): readonly string[] =>
  values
    .filter((value) => told.has(value['type']) && (passes(value['type']) || isCriticalValue(value)))
    .map(({ type, event_id }) => `${type} ${event_id}`)

function passesFilters({ filters: { include, exclude } }: Terms): (type: unknown) => boolean {
  const isOf = (pattern: string, type: unknown): boolean =>
    pattern.endsWith('*') ? String(type).startsWith(pattern.slice(0, -1)) : pattern === type
  return (type) =>
    include.some((pattern) => isOf(pattern, type)) && !exclude.some((pattern) => isOf(pattern, type))
}

function plainly(entries: readonly Entry[]): readonly JsonObject[] {
  return encodeSession(aaep, { id: 'sess_test1' }, withoutRaw(entries)).map(
    ({ data }) => JSON.parse(data) as JsonObject,
  )
}

const holds = (name: string, check: (entries: readonly Entry[], terms: Terms) => Promise<void>, base = 100) =>
  test(name, async () => {
    await fc.assert(fc.asyncProperty(anySession, anyTerms, check), { numRuns: runs(base) })
  })

holds('every event is valid', async (entries, terms) => {
  for (const { value, data } of await simulate(entries, terms)) expect(aaep.validate(value), data).toEqual([])
})

holds('nothing critical is late or lost', async (entries, terms) => {
  const emitted = await simulate(entries, terms)
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry.at]))
  const critical = emitted.filter(({ value }) => isCriticalValue(value))
  for (const { cursor, at } of critical) expect(at).toBe(bySeq.get(cursor.seq))
  const expected = plainly(entries).filter(isCriticalValue)
  expect(critical.map(({ value }) => value['type'])).toEqual(expected.map((value) => value['type']))
})

holds('the rate is kept', async (entries, terms) => {
  const rate = terms.maxEventsPerSecond
  if (rate === undefined) return
  const times = (await simulate(entries, terms)).filter(({ isFree }) => !isFree).map(({ at }) => at)
  for (const [first, start] of times.entries())
    for (const [index, end] of times.slice(first).entries())
      expect(index + 1).toBeLessThanOrEqual(Math.max(1, rate / 2) + ((end - start) / 1000) * rate + 1e-6)
})

holds('the text is all of the text, and what is kept keeps its order', async (entries, terms) => {
  const emitted = await simulate(entries, terms)
  const passes = passesFilters(terms)
  const plain = plainly(entries)
  const values = emitted.map(({ value }) => value)
  if (passes('aaep:agent.output.streaming')) expect(textsOf(values)).toEqual(textsOf(plain))
  expect(kept(values, passes).map(typeOnly)).toEqual(kept(plain, passes).map(typeOnly))
  for (const [index, { cursor }] of emitted.entries())
    if (index > 0) expect(isBefore(emitted[index - 1], emitted[index]), JSON.stringify(cursor)).toBe(true)
})

const typeOnly = (text: string): string => text.split(' ')[0] ?? ''

function isBefore(a: Emitted | undefined, b: Emitted | undefined): boolean {
  if (a === undefined || b === undefined) return false
  const key = ({ cursor }: Emitted) => [cursor.seq, cursor.units ?? Infinity, cursor.frames ?? 0] as const
  const [x, y] = [key(a), key(b)]
  return (x[0] - y[0] || Math.sign(x[1] - y[1]) || x[2] - y[2]) < 0
}

holds('every boundary that is claimed is one, and was asked for', async (entries, terms) => {
  const emitted = await simulate(entries, terms)
  const texts = textsOf(emitted.map(({ value }) => value))
  const ends: Record<string, number> = {}
  for (const { value } of emitted) {
    if (value['type'] !== 'aaep:agent.output.streaming') continue
    const { output_id, chunk, coalesce_hint: hint, complete, language } = value
    const key = String(output_id)
    const end = (ends[key] ?? 0) + String(chunk).length
    ends[key] = end
    if (hint === undefined || hint === 'none') continue
    if (hint === 'completion') expect(complete).toBe(true)
    else {
      expect(terms.boundaries).toContain(hint)
      const text = texts[key] ?? ''
      const unit = hint as 'word' | 'sentence' | 'paragraph'
      expect(
        isBoundary(text, end, unit, typeof language === 'string' ? language : undefined),
        `${unit} at ${end}: ${JSON.stringify(text)}`,
      ).toBe(true)
    }
  }
})

function isBoundary(
  text: string,
  end: number,
  unit: 'word' | 'sentence' | 'paragraph',
  language?: string,
): boolean {
  const segmenter = createSegmenter(language)
  const levels = ['none', 'word', 'sentence', 'paragraph']
  if (levels.indexOf(segmenter.boundaryAtEnd(text.slice(0, end))) >= levels.indexOf(unit)) return true
  let at = 0
  for (const segment of segmenter.split(text, unit)) {
    at += segment.length
    // Places that differ in white space only are the same boundary.
    if (text.slice(Math.min(at, end), Math.max(at, end)).trim() === '') return true
  }
  return false
}

holds(
  'resuming behind any event gives the rest and only the rest',
  async (entries, terms) => {
    const emitted = await simulate(entries, terms)
    const passes = passesFilters(terms)
    const all = emitted.map(({ value }) => value)
    const later = (entries.at(-1)?.at ?? 0) + 60_000
    for (const [index, { cursor }] of emitted.entries()) {
      const rest = await simulate(entries, terms, cursor, later)
      const values = [...all.slice(0, index + 1), ...rest.map(({ value }) => value)]
      expect(textsOf(values)).toEqual(textsOf(all))
      expect(kept(values, passes).map(typeOnly)).toEqual(kept(all, passes).map(typeOnly))
      for (const { value } of rest) expect(aaep.validate(value)).toEqual([])
    }
  },
  20,
)

test('sentences leave whole as soon as they are proven', async () => {
  const words = 'Dr. Who took the 8.30 train. It was late... He waited! '.split(/(?<= )/)
  const entries = timed(
    entriesOf(
      words.map((text) => [
        { kind: 'text-delta' as const, output: 'a', take: 0, text, position: 0, channel: 'answer' as const },
      ]),
    ).entries,
    [100],
  )
  const chunks = (await simulate(entries, defaultTerms)).flatMap(({ value }) =>
    value['chunk'] === undefined ? [] : [value['chunk']],
  )
  expect(chunks).toEqual(['Dr. Who took the 8.30 train. ', 'It was late... ', 'He waited! ', ''])
})
