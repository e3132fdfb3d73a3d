import type { Entry } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Place } from '../../packages/gateway/src/features/aaep/registry-history.ts'
import { runs } from '../../packages/protocol/src/testing/runs.ts'
import { anySession, anyTerms } from './arbitrary-sessions.ts'
import { isCriticalValue, kept, passesFilters, plainly } from './expected-events.ts'
import {
  type Play,
  type Played,
  type PlayOptions,
  playStreams,
  type Script,
  type Trouble,
} from './play-streams.ts'
import { aaep, defaultTerms, textsOf } from './simulate.ts'

const anyScripts: fc.Arbitrary<readonly Script[]> = fc
  .array(anySession, { minLength: 1, maxLength: 3 })
  .map((sessions) => sessions.map((entries, index) => ({ id: `sess_play${index}`, entries })))

const anyStalls: fc.Arbitrary<ReadonlyMap<number, Trouble>> = fc
  .array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom<Trouble>({ type: 'stall' }, { type: 'unstall' })), {
    maxLength: 6,
  })
  .map((troubles) => new Map(troubles))

const anyPlay: fc.Arbitrary<PlayOptions> = fc.record({
  scripts: anyScripts,
  terms: anyTerms,
  maxItems: fc.constantFrom(1, 3, 256),
  sliceBytes: fc.constantFrom(100, 300, 65_536),
  isJournaled: fc.boolean(),
})

function holds(
  name: string,
  { play, base = 60 }: { readonly play: fc.Arbitrary<PlayOptions>; readonly base?: number | undefined },
  check: (options: PlayOptions) => Promise<void>,
) {
  test(name, async () => {
    await fc.assert(fc.asyncProperty(play, check), { numRuns: runs(base) })
  })
}

function valuesOf(played: readonly Played[], id: string) {
  return played.filter(({ session }) => session === id).map(({ value }) => value)
}

/** Everything that the terms allow was sent, once and in order, and nothing is left to do. */
function expectWhole(
  { scripts, terms }: PlayOptions,
  { connection, clock }: Play,
  played: readonly Played[],
): void {
  const passes = passesFilters(terms)
  for (const { id, entries } of scripts) {
    const values = valuesOf(played, id)
    const plain = plainly(entries, id)
    if (passes('aaep:agent.output.streaming')) expect(textsOf(values)).toEqual(textsOf(plain))
    expect(kept(values, passes)).toEqual(kept(plain, passes))
  }
  expect(connection.end).toBe('finished')
  expect(clock.timers).toBe(0)
}

holds(
  'all of several sessions is told, whatever the window and however slow the reader',
  { play: fc.tuple(anyPlay, anyStalls).map(([play, troubles]) => ({ ...play, troubles })) },
  async (options) => {
    const play = await playStreams(options)
    expectWhole(options, play, play.played)
    for (const { value } of play.played) expect(aaep.validate(value)).toEqual([])
  },
)

holds(
  'nothing critical waits for what stands before it, in the window or in the log',
  { play: anyPlay },
  async (options) => {
    const { played } = await playStreams(options)
    for (const { id, entries } of options.scripts) {
      const timeOf = new Map(entries.map(({ seq, at }) => [seq, at]))
      for (const { session, value, cursor, at } of played)
        if (session === id && isCriticalValue(value)) expect(at).toBe(timeOf.get(cursor.seq))
    }
  },
)

holds('all sessions together keep the rate', { play: anyPlay }, async (options) => {
  const { maxEventsPerSecond: rate } = options.terms
  if (rate === undefined) return
  const { played } = await playStreams({ ...options, isJournaled: false })
  const times = played.filter(({ isFree }) => !isFree).map(({ at }) => at)
  for (const [first, start] of times.entries())
    for (const [index, end] of times.slice(first).entries())
      expect(index + 1).toBeLessThanOrEqual(Math.max(1, rate / 2) + ((end - start) / 1000) * rate + 1e-6)
})

holds('the window bounds what is held', { play: anyPlay }, async (options) => {
  const { maxHeld } = await playStreams(options)
  const perEntry = Math.max(
    ...options.scripts.flatMap(({ entries }) => entries.map(({ events }) => events.length)),
  )
  const slice = Math.ceil(options.sliceBytes / 100)
  expect(maxHeld).toBeLessThanOrEqual(options.maxItems + 1 + slice * (perEntry + 1))
})

holds(
  'terms hold for everything behind their change',
  {
    play: fc
      .tuple(anyPlay, fc.array(fc.tuple(fc.nat({ max: 60 }), anyTerms), { minLength: 1, maxLength: 3 }))
      .map(([play, changes]) => ({
        ...play,
        troubles: new Map(changes.map(([step, terms]) => [step, { type: 'renegotiate', terms } as const])),
      })),
  },
  async (options) => {
    const { played, connection } = await playStreams(options)
    const changes = [...(options.troubles?.values() ?? [])].flatMap((trouble) =>
      trouble.type === 'renegotiate' ? [trouble.terms] : [],
    )
    const showAll = [options.terms, ...changes].every((terms) =>
      passesFilters(terms)('aaep:agent.output.streaming'),
    )
    for (const { value, terms } of played) {
      expect(aaep.validate(value)).toEqual([])
      const { type, coalesce_hint: hint } = value
      const isOutcome = type === 'aaep:agent.state.changed'
      if (!isCriticalValue(value) && !isOutcome) expect(passesFilters(terms)(type), String(type)).toBe(true)
      if (hint !== undefined && hint !== 'none' && hint !== 'completion')
        expect(terms.boundaries).toContain(hint)
    }
    for (const { id, entries } of options.scripts) {
      const values = valuesOf(played, id)
      const plain = plainly(entries, id)
      const texts = textsOf(plain)
      if (showAll) expect(textsOf(values)).toEqual(texts)
      for (const { type, output_id, chunk, position } of values)
        if (type === 'aaep:agent.output.streaming')
          expect(textAt(texts[String(output_id)] ?? '', Number(position), String(chunk))).toBe(chunk)
      const critical = values.filter(isCriticalValue).map(({ type }) => type)
      expect(critical).toEqual(plain.filter(isCriticalValue).map(({ type }) => type))
    }
    expect(connection.end).toBe('finished')
  },
)

holds(
  'resuming behind any event gives the rest of every session, and only the rest',
  { play: anyPlay, base: 12 },
  async (options) => {
    const whole = await playStreams({ ...options, isJournaled: true })
    expect(whole.journal.map(({ id }) => id)).toEqual(whole.played.map(({ id }) => id))
    const step = Math.max(1, Math.floor(whole.played.length / 6))
    for (let cut = 0; cut <= whole.played.length; cut += step) {
      const places = new Map<string, Place>()
      for (const { session, cursor } of whole.journal.slice(0, cut)) places.set(session, cursor)
      const rest = await playStreams({ ...options, places })
      expectWhole(options, rest, [...whole.played.slice(0, cut), ...rest.played])
    }
  },
)

test('sessions that have much to say take turns', async () => {
  const scripts = ['sess_a', 'sess_b', 'sess_c'].map((id) => ({ id, entries: calls(40) }))
  const { played } = await playStreams({
    scripts,
    terms: { ...defaultTerms, maxEventsPerSecond: 10 },
    maxItems: 4,
    sliceBytes: 1000,
    isJournaled: false,
  })
  const firsts = played.slice(0, 60).map(({ session }) => session)
  for (const { id } of scripts) expect(firsts.filter((session) => session === id).length).toBeGreaterThan(15)
})

/** The part of a text that starts at `position` and is as long as `chunk`, counted in code points. */
function textAt(text: string, position: number, chunk: string): string {
  return Array.from(text)
    .slice(position, position + Array.from(chunk).length)
    .join('')
}

/** A session of tool calls, all at the same time. */
function calls(count: number): readonly Entry[] {
  const at = 1_800_000_001_000
  return Array.from({ length: count }, (_, seq) => ({
    seq,
    at,
    source: { dialect: 'none' },
    direction: 'event',
    clean: false,
    diagnostics: [],
    events:
      seq === 0
        ? [{ kind: 'session-start' }]
        : seq === count - 1
          ? [{ kind: 'session-end', outcome: 'completed' }]
          : [{ kind: 'tool-call', call: `c${seq}`, tool: 'search' }],
  }))
}
