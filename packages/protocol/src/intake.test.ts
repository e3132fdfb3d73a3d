import { describe, expect, test } from 'vitest'
import { aaep } from './dialects/aaep/index.ts'
import { sluice } from './dialects/sluice/index.ts'
import { type Admission, admit, admitEnd, createIntake, type Intake, parseFrame } from './intake.ts'
import { createSessionState } from './session-state.ts'

const fresh = createIntake(createSessionState({ id: 'sess_1' }))
const receipt = { dialect: sluice, at: 1000 }

function take(intake: Intake, value: object, more: object = {}): Admission {
  const parsed = parseFrame(JSON.stringify(value))
  if (!parsed.ok) throw new Error('a frame that parses was expected')
  return admit(intake, parsed.frame, { ...receipt, ...more })
}

const published = { events: [{ kind: 'notice', level: 'info', text: 'hello', meta: { id: 'e1' } }] }
const ended = { events: [{ kind: 'session-end', outcome: 'completed' }] }

describe('parseFrame()', () => {
  test('hands out the text on one line', () => {
    expect(parseFrame('{\n  "a": 1\r\n}')).toEqual({
      ok: true,
      frame: { text: '{  "a": 1}', value: { a: 1 } },
    })
  })

  test('refuses what is no JSON without quoting it', () => {
    const parsed = parseFrame('{"secret": hunter2}')
    expect(parsed).toMatchObject({ ok: false, finding: { code: 'not_json' } })
    expect(JSON.stringify(parsed)).not.toContain('hunter2')
  })

  test('refuses a raw line break inside a string instead of mending it', () => {
    expect(parseFrame('{"a": "x\ny"}').ok).toBe(false)
  })

  test.each([
    ['arrays', 64, true],
    ['arrays', 65, false],
  ])('takes %s nested %i deep: %s', (_kind, depth, ok) => {
    expect(parseFrame(`${'['.repeat(depth)}${']'.repeat(depth)}`).ok).toBe(ok)
  })
})

describe('admit()', () => {
  test('numbers entries from 0 and never lets time go back', () => {
    const first = take(fresh, published)
    const second = take(first.intake, published, { at: 10 })
    expect(first).toMatchObject({ ok: true, entry: { seq: 0, at: 1000, clean: true, direction: 'event' } })
    expect(second).toMatchObject({ ok: true, entry: { seq: 1, at: 1000 } })
  })

  test('refuses what follows the end of a session', () => {
    const end = take(fresh, ended)
    expect(take(end.intake, published)).toMatchObject({ ok: false, finding: { code: 'session_ended' } })
  })

  test('takes an event whose id is taken without its id, and says so', () => {
    const admission = take(fresh, published, { hasTakenId: true })
    expect(admission).toMatchObject({
      ok: true,
      entry: { clean: false },
      findings: [{ code: 'duplicate_event_id' }],
    })
    expect(admission.ok && admission.entry.events.at(-1)?.meta).toEqual({})
  })

  test('dates the entries of a recording by their events', () => {
    const dated = {
      events: [{ kind: 'notice', level: 'info', text: '', meta: { at: '1970-01-01T00:00:09Z' } }],
    }
    expect(take(fresh, dated, { isRecording: true })).toMatchObject({ entry: { at: 9000 } })
    expect(take(fresh, dated)).toMatchObject({ entry: { at: 1000 } })
  })

  const raw = '{"type":"log","data":{}}'
  const entry = {
    v: 1,
    session: 'sess_1',
    seq: 4,
    at: 77,
    source: { dialect: 'stream-event', producer: 'p' },
    direction: 'system',
    raw,
    clean: false,
    events: [{ kind: 'session-start' }],
    diagnostics: [{ code: 'x', path: '', message: 'm', rule: 'r' }],
  }

  test('takes an entry of a recording over as it was', () => {
    const { source, direction, diagnostics } = entry
    expect(take(fresh, entry, { isRecording: true })).toMatchObject({
      findings: [],
      entry: { seq: 0, at: 77, raw, clean: false, source, direction, diagnostics },
    })
  })

  test('believes nothing that a published entry says about where it came from', () => {
    expect(take(fresh, entry)).toMatchObject({
      findings: [],
      entry: {
        seq: 0,
        at: 1000,
        source: { dialect: 'sluice' },
        direction: 'event',
        raw: JSON.stringify(entry),
        clean: true,
        diagnostics: [],
      },
    })
  })

  test('refuses inputs that are published as events', () => {
    const input = { ...entry, direction: 'input' }
    expect(take(fresh, input)).toMatchObject({
      ok: false,
      finding: { code: 'input_as_event', path: '/direction' },
    })
    const reply = {
      type: 'confirmation.reply',
      subscription_id: 'sub_1',
      reply_token: 'rpl_1',
      decision: 'accept',
      timestamp: '2026-01-01T00:00:00Z',
    }
    expect(take(fresh, reply, { dialect: aaep })).toMatchObject({
      ok: false,
      finding: { code: 'input_as_event', path: '/type' },
    })
    expect(take(fresh, reply, { dialect: aaep, isRecording: true })).toMatchObject({
      entry: { direction: 'input' },
    })
  })
})

describe('admitEnd()', () => {
  test('fails a session that its dialect should have ended, and says so', () => {
    const open = take(fresh, published)
    expect(admitEnd(open.intake, receipt)).toMatchObject({
      findings: [{ code: 'unterminated_session' }],
      entry: { direction: 'system', events: [{ kind: 'session-end', outcome: 'failed' }] },
    })
  })

  test('completes a session whose dialect ends with its stream', () => {
    const endless = { ...sluice, supports: { ...sluice.supports, terminal: false } }
    const open = take(fresh, published)
    expect(admitEnd(open.intake, { ...receipt, dialect: endless })).toMatchObject({
      findings: [],
      entry: { events: [{ kind: 'session-end', outcome: 'completed' }] },
    })
  })

  test('adds nothing to a session that has ended', () => {
    expect(admitEnd(take(fresh, ended).intake, receipt)).toBeUndefined()
  })
})
