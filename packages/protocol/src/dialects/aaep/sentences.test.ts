import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { Meta, SluiceEvent, Summaries } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { writtenAs } from '../../testing/aaep-frames.ts'
import { runs } from '../../testing/runs.ts'
import { encodeSession, entriesOf, readSession, withoutRaw } from '../../testing/sessions.ts'
import { createAaepEncoder } from './encode.ts'
import { aaep } from './index.ts'
import { aaepPhrasesFor } from './phrases/languages.ts'
import { allPhrases } from './phrases.generated.ts'

const countdown = (leftMs: number): Meta => ({
  urgency: 'normal',
  ext: { sluice: { countdown: 'rpl_1', leftMs } },
})

const asked: SluiceEvent = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_1',
  text: '',
  timeoutMs: 600_000,
  default: 'reject',
}

/** A session of another dialect with everything that AAEP can express. */
const session = entriesOf([
  [{ kind: 'session-start', tools: ['Bash'] }],
  [{ kind: 'state-change', from: 'idle', to: 'thinking' }],
  [{ kind: 'state-change', from: 'thinking', to: 'warming_up' }],
  [{ kind: 'state-change', from: 'warming_up', to: '⏳ one moment' }],
  [{ kind: 'tool-call', call: 'call_1', tool: 'run_tests', args: { only: 'SENTINEL' } }],
  [{ kind: 'tool-result', call: 'call_1', tool: 'run_tests', status: 'error' }],
  [{ kind: 'tool-call', call: 'call_2', tool: 'mcp__rail__bookTicket', args: 'SENTINEL' }],
  [{ kind: 'tool-result', call: 'call_2', tool: 'mcp__rail__bookTicket', status: 'timeout' }],
  [{ kind: 'tool-call', call: 'call_3', tool: 'rail/list' }],
  [{ kind: 'tool-result', call: 'call_3', tool: 'rail/list', status: 'success', result: 'SENTINEL' }],
  [{ kind: 'progress', step: 3, total: 10 }],
  [{ kind: 'progress', step: 4, total: 10, percent: 39.6 }],
  [{ kind: 'progress', percent: 40 }],
  [{ kind: 'progress' }],
  [asked],
  [{ kind: 'progress', text: '90 seconds left to answer.', etaMs: 90_000, meta: countdown(90_000) }],
  [{ kind: 'progress', text: '3 minutes left.', meta: countdown(181_000) }],
  [{ kind: 'progress', text: '1 second left.', meta: countdown(1200) }],
  [{ kind: 'question-close', token: 'rpl_1', how: 'timeout', decision: 'reject' }],
  [{ kind: 'handoff', reason: '', target: 'human' }],
  [{ kind: 'session-end', outcome: 'failed', error: { category: 'transient' } }],
])

function dialectIn(language: string): typeof aaep {
  return { ...aaep, encode: createAaepEncoder(aaepPhrasesFor([language])) }
}

function withoutMeta(entries: readonly Entry[]): readonly JsonObject[] {
  return entries
    .flatMap(({ events }) => events)
    .map(({ meta: _meta, ...event }) => {
      const { args: _args, result: _result, ...rest } = event as unknown as JsonObject // an event is plain JSON
      return rest
    })
}

describe.each(allPhrases.map(({ language, direction }) => [language, direction] as const))(
  'in %s',
  (language, direction) => {
    const dialect = dialectIn(language)
    const frames = encodeSession(dialect, session.state, session.entries).map(({ data }) => data)

    test('a session sounds like its golden', async () => {
      const golden = new URL(`./phrases/fixtures/spoken-${language.toLowerCase()}.ndjson`, import.meta.url)
      await expect(`${frames.join('\n')}\n`).toMatchFileSnapshot(golden.pathname)
    })

    test('frames are valid, say their language and hold no payload', () => {
      for (const data of frames) {
        const frame = JSON.parse(data) as JsonObject // our own frame is an object
        expect(aaep.validate(frame)).toEqual([])
        expect(data).not.toContain('SENTINEL')
        if (frame['summary_normal'] !== undefined)
          expect(frame['localization_hints']).toEqual(
            direction === 'rtl'
              ? { primary_language: language, text_direction: direction }
              : { primary_language: language },
          )
      }
    })

    test('what is said comes out the same when it is encoded again from its events', () => {
      const back = readSession(aaep, frames)
      const again = encodeSession(dialect, back.state, withoutRaw(back.entries))
      expect(again.map(({ data }) => JSON.parse(data))).toEqual(frames.map((data) => JSON.parse(data)))
    })

    test('what is said is heard as the events that were there, and nobody counts as having said it', () => {
      const back = readSession(aaep, frames)
      expect(back.findings).toEqual([])
      expect(withoutMeta(back.entries)).toEqual(withoutMeta(session.entries))
      for (const { events } of back.entries)
        for (const { meta } of events) expect(meta?.summaries).toBeUndefined()
    })
  },
)

test.each([
  ['completed', undefined, 'The agent has finished.'],
  ['cancelled', { by: 'user' }, 'The agent was stopped.'],
  ['rejected', undefined, 'The agent has declined the request.'],
  [
    'failed',
    { error: { category: 'requires_user' } },
    'The agent has stopped because it needs something from you.',
  ],
  ['failed', undefined, 'The agent has stopped because of an error.'],
] as const)('a session that is %s says so (%j)', (outcome, more, normal) => {
  const [frame] = writtenAs({ kind: 'session-end', outcome, ...more })
  expect(frame).toMatchObject({ summary_normal: normal })
})

test.each([
  [{ how: 'answered', decision: 'accept' }, 'The request was accepted.'],
  [{ how: 'answered', decision: 'reject' }, 'The request was rejected.'],
  [{ how: 'answered', response: 'aisle' }, 'The question was answered.'],
  [{ how: 'timeout' }, 'No answer came in time.'],
  [{ how: 'timeout', decision: 'accept' }, 'No answer came in time, so the request was accepted.'],
  [{ how: 'cancelled' }, 'The question needs no answer any more.'],
] as const)('the outcome of a question is told: %j', (outcome, normal) => {
  const { entries, state } = entriesOf([[asked], [{ kind: 'question-close', token: 'rpl_1', ...outcome }]])
  const frames = encodeSession(aaep, state, entries).map(({ data }) => JSON.parse(data) as JsonObject)
  const close = frames.find((frame) => frame['from_state'] === 'awaiting_input')
  expect(close).toMatchObject({ summary_normal: normal, to_state: 'thinking' })
})

test.each(['idle', 'working', 'calling_tool', 'writing_output', 'awaiting_input', 'deciding', 'handing_off'])(
  'the state %s has a sentence of its own',
  (to) => {
    const [frame] = writtenAs({ kind: 'state-change', to })
    expect(frame?.['summary_normal']).toMatch(/^The agent (?:is|has) /)
  },
)

test('a description of progress, and a result that is as it should be, need no sentence of ours', () => {
  const frames = writtenAs(
    { kind: 'progress', percent: 40, text: 'Comparing hotels' },
    { kind: 'tool-call', call: 'call_1', tool: 'search' },
    { kind: 'tool-result', call: 'call_1', tool: 'search', status: 'success' },
  )
  expect(frames.map((frame) => frame['summary_normal'])).toEqual([
    undefined,
    'Searching for something.',
    undefined,
  ])
})

test('what a producer says is never replaced, and completed only where the dialect wants it', () => {
  const text = fc.constantFrom('Started.', 'Mine.', 'The agent is thinking.', 'Using the tool t.')
  const summaries: fc.Arbitrary<Summaries> = fc.record(
    { terse: text, normal: text, detailed: text },
    { requiredKeys: [] },
  )
  const event = fc.constantFrom<SluiceEvent>(
    { kind: 'state-change', to: 'thinking' },
    { kind: 'progress', percent: 4 },
    { kind: 'tool-call', call: 'call_1', tool: 't' },
    { kind: 'handoff', reason: 'Help.', target: 'human' },
  )
  fc.assert(
    fc.property(event, summaries, (said, given) => {
      const [frame] = writtenAs({ ...said, meta: { summaries: given } })
      expect(frame?.['summary_terse']).toBe(given.terse)
      expect(frame?.['summary_detailed']).toBe(given.detailed)
      const added = said.kind === 'tool-call' ? 'Using the tool t.' : undefined
      expect(frame?.['summary_normal']).toBe(given.normal ?? added)
    }),
    { numRuns: runs(200) },
  )
})
