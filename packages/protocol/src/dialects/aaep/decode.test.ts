import { describe, expect, test } from 'vitest'
import { omitUndefined } from '../../omit-undefined.ts'
import { tableValues } from '../../table.ts'
import { codes, confirmation, core, event, read, started, written } from '../../testing/aaep-frames.ts'
import { aaep } from './index.ts'

describe('decode', () => {
  test('takes a critical event without urgency, and says it when it writes', () => {
    const { urgency: _urgency, ...quiet } = confirmation
    const session = read(started, event('awaiting.confirmation', quiet))
    expect(session.findings).toEqual([])
    expect(session.entries[1]?.clean).toBe(false)
    expect(written(session)[1]).toMatchObject({ urgency: 'critical', reply_token: 'rpl_1' })
  })

  test.each(['https://aaep-protocol.org/types/', 'https://aaep-protocol.org/vocab/v1#'])(
    'reads the full type under %s as the compact one',
    (base) => {
      const session = read(
        started,
        event(`${base}agent.state.changed`, { from_state: 'idle', to_state: 'thinking' }),
      )
      expect(session.findings).toEqual([])
      expect(session.state.status).toBe('thinking')
      expect(written(session)[1]).toMatchObject({ type: 'aaep:agent.state.changed' })
    },
  )

  test.each([
    ['irreversible, no risk', { irreversible: true }, true],
    ['irreversible, high', { irreversible: true, risk_level: 'high' }, true],
    ['irreversible, medium', { irreversible: true, risk_level: 'medium' }, true],
    ['irreversible, low', { irreversible: true, risk_level: 'low' }, false],
    ['reversibility, no risk', { reversibility: 'irreversible' }, true],
    ['reversibility, low', { reversibility: 'irreversible', risk_level: 'low' }, false],
    ['an unknown risk', { irreversible: true, risk_level: 'extreme' }, true],
    ['reversible', { reversibility: 'reversible', risk_level: 'high' }, false],
  ])('refuses a default of accept by the strictest reading: %s', (_name, fields, isRefused) => {
    const session = read(
      started,
      event('awaiting.confirmation', { ...confirmation, ...fields, default_decision: 'accept' }),
    )
    expect(codes(session)).toEqual(isRefused ? ['unsafe_default /default_decision'] : [])
    expect(session.entries).toHaveLength(isRefused ? 1 : 2)
  })

  test('publishes the rule of safe defaults with the schema', () => {
    const unsafe = event('awaiting.confirmation', {
      ...confirmation,
      irreversible: true,
      risk_level: 'medium',
      default_decision: 'accept',
    })
    expect(aaep.validate(unsafe)).not.toEqual([])
    expect(aaep.validate({ ...unsafe, risk_level: 'low' })).toEqual([])
    expect(aaep.validate({ ...unsafe, default_decision: 'reject' })).toEqual([])
  })

  test('a carried question cannot bring an unsafe default back', () => {
    const carried = {
      kind: 'question-open',
      question: 'confirmation',
      token: 'rpl_1',
      text: 'Delete?',
      default: 'accept',
      irreversible: true,
    }
    const session = read(
      started,
      event('awaiting.confirmation', {
        ...confirmation,
        '@context': [core, 'urn:sluice:context:v1'],
        extensions: { sluice: { event: carried } },
      }),
    )
    expect(tableValues(session.state.questions)[0]?.opened.default).toBe('reject')
  })

  test('maps values that nobody knows yet to the nearest, without a finding', () => {
    const session = read(
      started,
      event('tool.invoked', {
        tool: 'x',
        summary_normal: 'X.',
        risk_level: 'extreme',
        tool_call_id: 'call_1',
      }),
      event('tool.completed', { tool: 'x', status: 'denied', tool_call_id: 'call_1' }),
      event('session.errored', { summary_normal: 'E.', urgency: 'critical', error_category: 'network' }),
    )
    expect(session.findings).toEqual([])
    expect(session.entries.slice(1).flatMap(({ events }) => events)).toMatchObject([
      { kind: 'tool-call', risk: 'high', meta: { ext: { aaep: { risk_level: 'extreme' } } } },
      { kind: 'tool-result', status: 'error' },
      { kind: 'session-end', error: { category: 'unknown' } },
    ])
    for (const frame of written(session)) expect(aaep.validate(frame)).toEqual([])
  })

  test('counts positions in code points and says which one it expected', () => {
    const chunk = (text: string, position: number) =>
      event('output.streaming', { chunk: text, position, complete: false })
    expect(codes(read(started, chunk('👍 ok. ', 0), chunk('Next.', 6)))).toEqual([])
    const session = read(started, chunk('👍 ok. ', 0), chunk('Next.', 7))
    expect(session.findings[0]?.message).toContain('expected 6')
  })

  test('a reply closes its question, with or without a subscription', () => {
    const reply = {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      timestamp: '2026-05-24T14:22:30Z',
      decided_by: 'user:ada',
    }
    const session = read(started, event('awaiting.confirmation', { ...confirmation }), reply)
    expect(session.findings).toEqual([])
    expect(session.entries[2]).toMatchObject({
      direction: 'input',
      events: [{ kind: 'question-close', how: 'answered', decision: 'accept', by: 'user:ada' }],
    })
    expect(written(session)[2]).toMatchObject({
      type: 'aaep:agent.state.changed',
      from_state: 'awaiting_input',
      to_state: 'thinking',
    })
  })

  test('a changed action is a refusal', () => {
    const reply = {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      modified_action: { folder: 'other' },
      timestamp: '2026-05-24T14:22:30Z',
    }
    const session = read(started, event('awaiting.confirmation', { ...confirmation }), reply)
    expect(tableValues(session.state.questions)[0]?.closed?.decision).toBe('reject')
  })

  test('an irreversible tool needs a confirmation that was accepted', () => {
    const ask = event('awaiting.confirmation', { ...confirmation })
    const act = event('tool.invoked', { tool: 'rm', summary_normal: 'Deleting.', irreversible: true })
    const answer = (decision: string) => ({
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision,
      timestamp: '2026-05-24T14:22:30Z',
    })
    const released = event('state.changed', { from_state: 'awaiting_input', to_state: 'calling_tool' })
    expect(codes(read(started, act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, answer('reject'), act))).toEqual(['unconfirmed /irreversible'])
    expect(codes(read(started, ask, answer('accept'), act))).toEqual([])
    expect(codes(read(started, ask, released, act))).toEqual([])
  })

  test('pairs tools without an id by their name, the oldest first', () => {
    const invoke = event('tool.invoked', { tool: 'x', summary_normal: 'X.' })
    const done = (status: string) => event('tool.completed', { tool: 'x', status })
    const session = read(started, invoke, { ...invoke, event_id: 'evt_x2' }, done('success'), done('timeout'))
    expect(session.findings).toEqual([])
    expect(tableValues(session.state.calls).map(({ status }) => status)).toEqual(['success', 'timeout'])
  })

  test('numbering may stop but not come back', () => {
    const numbered = (n?: number) =>
      event('progress.updated', {
        progress: { percent: 1 },
        ...omitUndefined({ sequence_number: n }),
      })
    const first = { ...started, sequence_number: 0 }
    expect(codes(read(first, numbered(1), numbered(), numbered()))).toEqual([])
    expect(codes(read(first, numbered(1), numbered(), numbered(2)))).toEqual([
      'sequence_mixed /sequence_number',
    ])
    expect(codes(read(first, numbered(2)))).toEqual(['sequence_gap /sequence_number'])
  })
})
