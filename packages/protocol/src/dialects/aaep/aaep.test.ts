import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { codes, core, read, started, written } from '../../testing/aaep-frames.ts'
import { encodeSession, readSession } from '../../testing/sessions.ts'
import { testDialect } from '../../testing/test-dialect.ts'
import { aaep } from './index.ts'

testDialect(aaep, { fixtures: new URL('./fixtures/', import.meta.url), comparable: withoutNumber })

/** Sequence numbers belong to a producer's own stream: only a copy repeats them. */
function withoutNumber(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value
  const { sequence_number: _number, ...rest } = value
  return rest
}

describe('the specification', () => {
  const examples: readonly JsonObject[] = [
    {
      '@context': core,
      type: 'aaep:agent.output.streaming',
      event_id: 'evt_5d9c2a7f1b4e8a3c',
      session_id: 'sess_2c91a7b4d23f1e88',
      timestamp: '2026-05-24T14:22:23.140Z',
      producer: { agent_id: 'retirement-planner', agent_version: '1.4.2' },
      urgency: 'normal',
      chunk: 'Your plan should target a contribution of $1,200.',
      position: 0,
      complete: false,
    },
    {
      '@context': [core, 'https://example.org/medai/context/v1'],
      aaep_version: '1.0.0',
      type: 'aaep:agent.tool.invoked',
      event_id: 'evt_8a3f5b22c91e4d7a3f5b22c91e4d7a3f',
      session_id: 'sess_2c91a7b4d23f1e88a7b4d23f1e88a7b4',
      sequence_number: 7,
      timestamp: '2026-05-24T15:22:11.342+01:00',
      producer: { agent_id: 'clinical-assistant', manifest_uri: 'https://hospital.example/manifest.json' },
      tool: 'records.read',
      summary_normal: 'Reading.',
      extensions: { medai: { patient_data_accessed: true } },
    },
  ]

  test.each(examples)('accepts what its examples show: $type', (example) => {
    expect(aaep.validate(example)).toEqual([])
    expect(aaep.recognizes(example)).toBe(true)
  })

  test('wants a summary of a session that starts, whatever the example of the envelope shows', () => {
    const { summary_normal: _summary, ...bare } = started
    expect(codes(read(bare))).toEqual(['missing_field /summary_normal'])
  })

  const messages: readonly JsonObject[] = [
    {
      type: 'subscription.request',
      aaep_version: '1.0.0',
      subscriber_id: 'reader-1',
      capabilities: { max_events_per_second: 2, languages: ['en'], medai: { level: 1 } },
    },
    {
      type: 'subscription.accepted',
      subscription_id: 'sub_1',
      aaep_version: '1.0.0',
      producer: { agent_id: 'sluice' },
      honored_capabilities: { max_events_per_second: 2 },
    },
    { type: 'subscription.rejected', reason_code: 'rate_limit', reason_message: 'Too many.' },
    { type: 'subscription.renegotiate', subscription_id: 'sub_1', capabilities: { pace_wpm: 180 } },
    { type: 'subscription.close', subscription_id: 'sub_1', reason_code: 'subscriber_shutdown' },
    {
      type: 'confirmation.reply',
      reply_token: 'rpl_1',
      decision: 'accept',
      subscription_id: 'sub_1',
      timestamp: '2026-05-24T14:22:30Z',
    },
    {
      type: 'clarification.reply',
      reply_token: 'rpl_1',
      response: true,
      subscription_id: 'sub_1',
      timestamp: '2026-05-24T14:22:30Z',
    },
  ]

  test.each(messages)('knows $type, and closes it', (message) => {
    expect(aaep.validate(message)).toEqual([])
    expect(aaep.recognizes(message)).toBe(true)
    expect(aaep.validate({ ...message, more: 1 }).map(({ code }) => code)).toContain('unexpected_field')
  })

  test('publishes a schema for every message, and for the files of phrases', () => {
    const names = Object.keys(aaep.schemas)
    expect(names).toHaveLength(1 + 12 + 7 + 1 + 1)
    for (const [name, schema] of Object.entries(aaep.schemas))
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:sluice:schema:aaep:${name}`,
      })
  })

  test('keeps a handshake in the stream as something unknown', () => {
    const session = read(started, ...messages.slice(0, 5))
    expect(session.findings).toEqual([])
    expect(session.entries.slice(1).map(({ events }) => events[0])).toMatchObject(
      messages.slice(0, 5).map((data) => ({ kind: 'unknown', type: data['type'], data })),
    )
    for (const frame of written(session)) expect(String(frame['type'])).not.toMatch(/^subscription/)
  })
})

test('the recording in examples/ has no findings and comes out as it is', () => {
  const url = new URL('../../../../../examples/recording.aaep.ndjson', import.meta.url)
  const lines = readFileSync(url, 'utf8').trim().split('\n')
  const session = readSession(aaep, lines)
  expect(session.findings).toEqual([])
  expect(encodeSession(aaep, session.state, session.entries).map(({ data }) => data)).toEqual(lines)
})
