import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from './entry.ts'
import type { SluiceEvent } from './events.ts'
import { outlineOf } from './outline.ts'
import { decodeOutline, encodeOutline } from './outline-page.ts'
import { anyEntries } from './testing/arbitrary-events.ts'
import { richSession } from './testing/rich-session.ts'
import { runs } from './testing/runs.ts'
import { entriesOf } from './testing/sessions.ts'

const at = Date.UTC(2026, 0, 1)

function entryOf(...events: readonly SluiceEvent[]): Entry {
  return {
    seq: 7,
    at,
    source: { dialect: 'sluice' },
    direction: 'event',
    clean: true,
    events,
    diagnostics: [],
  }
}

const result = (status: 'success' | 'error' | 'timeout'): SluiceEvent => ({
  kind: 'tool-result',
  call: 'c',
  tool: 'search',
  status,
})
const end = (outcome: 'completed' | 'failed'): SluiceEvent => ({ kind: 'session-end', outcome })
const notice = (level: 'debug' | 'info' | 'warning' | 'error'): SluiceEvent => ({
  kind: 'notice',
  level,
  text: 'x',
})
const saidAt = (time: string): SluiceEvent => ({ ...notice('info'), meta: { at: time } })

describe('outlineOf()', () => {
  test('tells kinds once and in order, code points and findings, and no payload', () => {
    const text = { kind: 'text-delta', output: 'a', take: 0, position: 0, channel: 'answer' } as const
    const entry = entryOf(
      { ...text, text: 'né 👍' },
      { kind: 'tool-call', call: 'c', tool: 'search', args: { q: 'secret' } },
      { ...text, text: '.' },
    )
    const finding = { code: 'a', path: '', message: 'm', rule: 'r' }
    expect(outlineOf({ ...entry, diagnostics: [finding, finding] })).toEqual({
      seq: 7,
      at,
      direction: 'event',
      kinds: ['text-delta', 'tool-call'],
      characters: 5,
      findings: 2,
      calls: [{ call: 'c', tool: 'search' }],
    })
  })

  test.each([
    ['a warning', [notice('info'), notice('warning')], 'warning'],
    ['an error', [notice('error'), notice('warning')], 'error'],
    ['a tool that failed', [result('error')], 'error'],
    ['a tool that took too long', [notice('warning'), result('timeout')], 'error'],
    ['a tool that did its work', [result('success')], undefined],
    ['a session that failed', [end('failed')], 'error'],
    ['a session that completed', [end('completed'), notice('debug')], undefined],
  ] as const)('tells the worst level: %s', (_name, events, level) => {
    expect(outlineOf(entryOf(...events)).level).toBe(level)
  })

  test('tells with which status a tool ended', () => {
    expect(outlineOf(entryOf(result('timeout'))).calls).toEqual([
      { call: 'c', tool: 'search', status: 'timeout' },
    ])
  })

  test.each([
    ['2025-12-31T23:59:59.750Z', 250],
    ['2026-01-01T00:00:01Z', -1000],
    ['2025-12-31T00:00:00Z', 86_400_000],
    ['2025-12-30T23:59:59Z', undefined],
    ['yesterday', undefined],
  ])('tells the delay since %s', (time, delayMs) => {
    expect(outlineOf(entryOf(notice('info'), saidAt(time), saidAt('2000-01-01T00:00:00Z'))).delayMs).toBe(
      delayMs,
    )
  })
})

describe('decodeOutline()', () => {
  const pageOf = (entries: readonly Entry[]) => ({ rows: entries.map(outlineOf), head: entries.length + 3 })

  test('gives back the page that was encoded, of any session and from any entry on', () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(30), fc.boolean(), (groups, from, isLast) => {
        const page = pageOf(entriesOf(groups).entries.slice(from))
        const whole = isLast ? page : { ...page, next: page.rows.at(-1)?.seq ?? 0 }
        const sent = JSON.parse(JSON.stringify(encodeOutline(whole))) as ReturnType<typeof encodeOutline> // as it was
        expect(decodeOutline(sent)).toEqual(whole)
      }),
      { numRuns: runs(200) },
    )
  })

  test('takes a row of an unknown shape for one without events', () => {
    const page = { from: 3, shapes: [], rows: [[at, 9, 0, 0, null]], calls: [], head: 3 } as const
    expect(decodeOutline(page).rows).toEqual([
      { seq: 3, at, direction: 'event', kinds: [], characters: 0, findings: 0 },
    ])
  })
})

test('encodeOutline() tells once what rows share', () => {
  const page = encodeOutline({ rows: entriesOf(richSession).entries.map(outlineOf), head: 32 })
  expect(page.from).toBe(0)
  expect(page.rows).toHaveLength(richSession.length)
  expect(page.shapes.length).toBeLessThan(page.rows.length)
  expect(page.calls.map(({ seq, status }) => [seq, status])).toEqual([
    [6, undefined],
    [8, 'success'],
    [9, undefined],
    [10, 'error'],
  ])
})
