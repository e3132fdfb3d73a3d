import { type Entry, type JsonObject, startCursor } from '@sluice/protocol'
import { createSegmenter } from '@sluice/protocol/segment'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareCursors } from '../../packages/client/src/compare-cursors.ts'
import { parseEventId } from '../../packages/gateway/src/features/aaep/event-id.ts'
import type { Terms } from '../../packages/gateway/src/features/aaep/terms.ts'
import { dialectView } from '../../packages/gateway/src/kernel/fan-out/view-spec.ts'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { entriesOf } from '../../packages/protocol/src/testing/sessions.ts'
import { readFrom, storeSession } from '../views/view-readers.ts'
import { anySession, anyTerms } from './arbitrary-sessions.ts'
import { isCriticalValue, kept, passesFilters, plainly } from './expected-events.ts'
import { aaep, defaultTerms, type Emitted, simulate, textsOf, timed } from './simulate.ts'

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
  expect(kept(values, passes)).toEqual(kept(plain, passes))
  for (const [index, { cursor }] of emitted.entries())
    if (index > 0) expect(isBefore(emitted[index - 1], emitted[index]), JSON.stringify(cursor)).toBe(true)
})

function isBefore(a: Emitted | undefined, b: Emitted | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return compareCursors(a.cursor, b.cursor) < 0
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
        isBoundary({ text, language: typeof language === 'string' ? language : undefined }, end, unit),
        `${unit} at ${end}: ${JSON.stringify(text)}`,
      ).toBe(true)
    }
  }
})

function isBoundary(
  { text, language }: { readonly text: string; readonly language?: string | undefined },
  end: number,
  unit: 'word' | 'sentence' | 'paragraph',
): boolean {
  const segmenter = createSegmenter(language)
  const levels = ['none', 'word', 'sentence', 'paragraph']
  if (levels.indexOf(segmenter.boundaryAtEnd(text.slice(0, end))) >= levels.indexOf(unit)) return true
  let at = 0
  for (const segment of segmenter.split(text, unit)) {
    at += segment.length
    // Places that differ only in white space are the same boundary.
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
      const rest = await simulate(entries, terms, { after: cursor, now: later })
      const values = [...all.slice(0, index + 1), ...rest.map(({ value }) => value)]
      expect(textsOf(values)).toEqual(textsOf(all))
      expect(kept(values, passes)).toEqual(kept(all, passes))
      for (const { value } of rest) expect(aaep.validate(value)).toEqual([])
    }
  },
  20,
)

/** Everything that a reader gets under any pacing with both terms: all texts, and the events that no pacing may drop. */
function toldUnder(values: readonly JsonObject[], both: readonly Terms[]): readonly unknown[] {
  const shows = both.map(passesFilters)
  const passes = (type: unknown): boolean => shows.every((each) => each(type))
  const texts = passes('aaep:agent.output.streaming') ? textsOf(values) : {}
  return [Object.entries(texts).filter(([, text]) => text !== ''), kept(values, passes)]
}

test('resuming behind any event under other terms gives the rest and only the rest', async () => {
  const check = async (entries: readonly Entry[], terms: Terms, others: Terms): Promise<void> => {
    const emitted = await simulate(entries, terms)
    const later = (entries.at(-1)?.at ?? 0) + 60_000
    const all = toldUnder(plainly(entries), [terms, others])
    for (const [index, { cursor }] of emitted.entries()) {
      const rest = await simulate(entries, others, { after: cursor, now: later })
      const values = [...emitted.slice(0, index + 1), ...rest].map(({ value }) => value)
      expect(toldUnder(values, [terms, others]), JSON.stringify(cursor)).toEqual(all)
    }
  }
  await fc.assert(fc.asyncProperty(anySession, anyTerms, anyTerms, check), { numRuns: runs(20) })
  const [everything, outputs] = [
    { include: ['*'], exclude: [] },
    { include: ['aaep:agent.output.*'], exclude: [] },
  ]
  // Of the two events after the first one, only the second is shown under the other terms, in several frames.
  const thought = {
    kind: 'text-delta',
    output: 't',
    take: 0,
    position: 0,
    text: '',
    channel: 'reasoning',
  } as const
  const message = {
    kind: 'message',
    id: 'm',
    role: 'agent',
    parts: [{ type: 'text', text: 'Hello.' }],
  } as const
  const { entries } = entriesOf([[{ kind: 'session-start' }], [thought, message]])
  const terms = { ...defaultTerms, boundaries: ['none'] as const }
  await check(entries, { ...terms, filters: everything }, { ...terms, filters: outputs })
})

test('resuming behind an event of any view gives the rest and only the rest', async () => {
  const joinings = [undefined, { unit: 'word' }, { unit: 'sentence' }, { spanMs: 40 }] as const
  const check = async (entries: readonly Entry[], terms: Terms): Promise<void> => {
    const session = storeSession(entries)
    const later = (entries.at(-1)?.at ?? 0) + 60_000
    const all = toldUnder(plainly(entries), [terms])
    for (const joining of joinings) {
      const read = await readFrom(dialectView(aaep, joining), session, startCursor)
      const values = (read?.frames ?? []).map(({ data }) => JSON.parse(data) as JsonObject)
      for (const [index, { event_id }] of values.entries()) {
        const minted = parseEventId('sess_test1', String(event_id))
        if (minted === undefined) continue
        const rest = await simulate(entries, terms, { after: minted.cursor, now: later })
        const had = [...values.slice(0, index + 1), ...rest.map(({ value }) => value)]
        expect(toldUnder(had, [terms]), String(event_id)).toEqual(all)
      }
    }
  }
  await fc.assert(fc.asyncProperty(anySession, anyTerms, check), { numRuns: runs(10) })
})

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
