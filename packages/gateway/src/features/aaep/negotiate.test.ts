import { omitUndefined } from '@sluice/protocol'
import { aaepMessageChecker, sluiceContext } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import type { Offer, Rejection } from './agreement.ts'
import { negotiate, renegotiate } from './negotiate.ts'
import { toAccepted, toRejected } from './negotiate-answer.ts'
import { passesFilters } from './negotiate-filters.ts'
import { type Capabilities, defaultTerms, toTerms } from './terms.ts'

const offer: Offer = {
  languages: ['en', 'de'],
  extensions: [sluiceContext],
  isSigned: false,
  canAnswer: true,
}

const request = (capabilities: unknown = {}, fields: object = {}) => ({
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'reader',
  capabilities,
  ...fields,
})

const renewal = (capabilities: unknown) => ({
  type: 'subscription.renegotiate',
  subscription_id: 'sub_1',
  capabilities,
})

function accept(capabilities: unknown, given: Offer = offer) {
  const answer = negotiate(request(capabilities), given)
  if (!answer.ok) throw new Error(answer.message)
  return answer
}

describe('negotiate()', () => {
  test('fills in what is absent, and does not claim that it was asked for', () => {
    const { terms, honored, notes } = accept({})
    expect(terms).toEqual(defaultTerms)
    expect(honored).toEqual({})
    expect(notes).toBeUndefined()
  })

  test('grants what was asked for', () => {
    const asked: Capabilities = {
      max_events_per_second: 3,
      preferred_verbosity: 'terse',
      languages: ['de-CH', 'en'],
      supports_confirmation_reply: true,
      supports_clarification_reply: true,
      coalesce_boundaries: ['paragraph'],
      event_filters: { include: ['https://aaep-protocol.org/types/agent.*', 'acme:*'], exclude: ['acme:x'] },
      supported_conformance_levels: [1, 3],
      cognitive_load: 'low',
      pace_wpm: 180,
      accept_signed_manifests_only: false,
    }
    const { terms, honored, subscriber } = accept(asked)
    expect(honored).toEqual(asked)
    expect(subscriber).toEqual({ id: 'reader' })
    expect(terms).toEqual({
      maxEventsPerSecond: 3,
      verbosity: 'terse',
      languages: ['de-CH', 'en'],
      canConfirm: true,
      canClarify: true,
      boundaries: ['paragraph'],
      filters: { include: ['aaep:agent.*', 'acme:*'], exclude: ['acme:x'] },
      load: 'low',
      paceWpm: 180,
    })
  })

  test('grants less, and says so, where the gateway or the credential has less', () => {
    const { honored, terms, notes } = accept(
      {
        supports_confirmation_reply: true,
        supports_clarification_reply: false,
        supported_extensions: [sluiceContext, 'urn:acme:context'],
        languages: ['sw-KE'],
      },
      { ...offer, canAnswer: false },
    )
    expect(honored).toEqual({
      supports_confirmation_reply: false,
      supports_clarification_reply: false,
      supported_extensions: [sluiceContext],
      languages: ['sw-KE'],
    })
    expect(terms.canConfirm).toBe(false)
    expect(notes).toContain('does not allow answers')
    expect(notes).toContain('in en, de;')
  })

  test('ignores capabilities of extensions and of later versions, and says so', () => {
    const later = request(
      { braille: { cells: 40 }, haptics: true, pace_wpm: 90 },
      { aaep_version: '1.7.2', mood: 1 },
    )
    const answer = negotiate(later, offer)
    expect(answer).toMatchObject({ ok: true, honored: { pace_wpm: 90 } })
    expect(answer.ok && Object.keys(answer.honored)).toEqual(['pace_wpm'])
    expect(answer.ok && answer.notes).toContain('ignored')
  })

  test('reads which sessions are chosen', () => {
    const sluice = {
      sessions: ['sess_1', 'sess_2'],
      after: 'now',
      subscription_id: 'sub_9',
      last_event_id: 'evt_9',
    }
    expect(negotiate(request({}, { extensions: { sluice, acme: {} } }), offer)).toMatchObject({
      ok: true,
      choice: { sessions: ['sess_1', 'sess_2'], after: 'now', subscriptionId: 'sub_9', lastEventId: 'evt_9' },
    })
    expect(negotiate(request(), offer)).toMatchObject({ ok: true, choice: {} })
  })

  const many = Array.from({ length: 257 }, (_, index) => `sess_${index}`)
  test.each<[string, unknown, Rejection['code']]>([
    ['no object', 'hello', 'unknown'],
    ['nothing', undefined, 'unknown'],
    ['a list', [request()], 'unknown'],
    ['another message', { ...request(), type: 'subscription.close' }, 'unknown'],
    ['no subscriber', { ...request(), subscriber_id: undefined }, 'unknown'],
    ['no capabilities', { ...request(), capabilities: undefined }, 'unknown'],
    ['no version', { ...request(), aaep_version: undefined }, 'unknown'],
    ['a version that is none', request({}, { aaep_version: 'one' }), 'unknown'],
    ['version 99', request({}, { aaep_version: '99.99.99' }), 'version_unsupported'],
    ['version 0', request({}, { aaep_version: '0.1.0-draft' }), 'version_unsupported'],
    ['version 10', request({}, { aaep_version: '10.0.0' }), 'version_unsupported'],
    [
      'version 2 in another shape',
      { type: 'subscription.request', aaep_version: '2.0.0' },
      'version_unsupported',
    ],
    ['a rate of nothing', request({ max_events_per_second: 0 }), 'capabilities_incompatible'],
    ['no language', request({ languages: [] }), 'capabilities_incompatible'],
    ['an unknown verbosity', request({ preferred_verbosity: 'loud' }), 'capabilities_incompatible'],
    ['a boundary twice', request({ coalesce_boundaries: ['word', 'word'] }), 'capabilities_incompatible'],
    ['only signed', request({ accept_signed_manifests_only: true }), 'manifest_signature_required'],
    [
      'a star inside',
      request({ event_filters: { include: ['aaep:*.changed'] } }),
      'capabilities_incompatible',
    ],
    ['two stars', request({ event_filters: { exclude: ['aaep:**'] } }), 'capabilities_incompatible'],
    [
      'filters that let nothing through',
      request({ event_filters: { include: ['aaep:agent.tool.*'], exclude: ['aaep:agent.*'] } }),
      'capabilities_incompatible',
    ],
    [
      'filters that let nothing of the default through',
      request({ event_filters: { exclude: ['aaep:*'] } }),
      'capabilities_incompatible',
    ],
    ['too many filters', request({ event_filters: { include: many } }), 'capabilities_incompatible'],
    ["the dialect's own prefix", request({ aaep: {} }), 'capabilities_incompatible'],
    ['the same beside', request({}, { extensions: { aaep: {} } }), 'capabilities_incompatible'],
    ['our prefix', request({ sluice: { speed: 1 } }), 'capabilities_incompatible'],
    ['an unknown field', request({}, { extensions: { sluice: { speed: 1 } } }), 'capabilities_incompatible'],
    ['an extension that is none', request({}, { extensions: { sluice: 1 } }), 'unknown'],
    [
      'a session that is none',
      request({}, { extensions: { sluice: { sessions: ['x'] } } }),
      'capabilities_incompatible',
    ],
    ['no session', request({}, { extensions: { sluice: { sessions: [] } } }), 'capabilities_incompatible'],
    [
      'many sessions',
      request({}, { extensions: { sluice: { sessions: many } } }),
      'capabilities_incompatible',
    ],
    ['no such place', request({}, { extensions: { sluice: { after: 3 } } }), 'capabilities_incompatible'],
    [
      'a lone event',
      request({}, { extensions: { sluice: { last_event_id: 'evt_1' } } }),
      'capabilities_incompatible',
    ],
  ])('rejects %s', (_, message, code) => {
    const answer = negotiate(message, offer)
    expect(answer).toMatchObject({ ok: false, code })
    if (!answer.ok) expect(isExact(toRejected(answer))).toBe(true)
  })

  test.each([
    { include: [] },
    { exclude: ['*'] },
    { include: ['aaep:agent.awaiting.*'] },
    { include: ['aaep:*'], exclude: ['aaep:agent.tool.*'] },
  ])('honours a filter that means what it says: %j', (filters) => {
    expect(accept({ event_filters: filters }).honored.event_filters).toEqual(filters)
  })

  test('takes only signed manifests from a gateway that signs', () => {
    const { honored } = accept({ accept_signed_manifests_only: true }, { ...offer, isSigned: true })
    expect(honored.accept_signed_manifests_only).toBe(true)
  })
})

describe('renegotiate()', () => {
  test('changes what is named and keeps the rest', () => {
    const before: Capabilities = { pace_wpm: 100, languages: ['de'], event_filters: { include: ['acme:*'] } }
    const answer = renegotiate(before, renewal({ pace_wpm: 250, cognitive_load: 'high' }), offer)
    expect(answer).toMatchObject({
      ok: true,
      honored: { ...before, pace_wpm: 250, cognitive_load: 'high' },
      terms: { paceWpm: 250, load: 'high', languages: ['de'], filters: { include: ['acme:*'], exclude: [] } },
    })
  })

  test.each<[unknown, Rejection['code']]>([
    [request(), 'unknown'],
    [{ ...renewal({}), subscription_id: 'x' }, 'unknown'],
    [renewal({ pace_wpm: 1 }), 'capabilities_incompatible'],
    [renewal({ accept_signed_manifests_only: true }), 'manifest_signature_required'],
  ])('rejects %j', (message, code) => {
    expect(renegotiate({}, message, offer)).toMatchObject({ ok: false, code })
  })
})

const isExact = (message: { readonly type: string }): boolean =>
  aaepMessageChecker(message.type)?.isExact(message) ?? false

const patterns = fc.array(
  fc.constantFrom(
    '*',
    'aaep:*',
    'aaep:agent.*',
    'aaep:agent.tool.*',
    'aaep:agent.tool.invoked',
    'acme:*',
    'x*y',
    'acme:a',
  ),
  { maxLength: 4 },
)
const anyCapabilities = fc.record(
  {
    max_events_per_second: fc.integer({ min: 1, max: 100_000 }),
    preferred_verbosity: fc.constantFrom('terse', 'normal', 'detailed'),
    languages: fc.uniqueArray(fc.constantFrom('en', 'de-AT', 'sw', 'zh-Hant-TW'), { minLength: 1 }),
    supports_confirmation_reply: fc.boolean(),
    supports_clarification_reply: fc.boolean(),
    coalesce_boundaries: fc.uniqueArray(
      fc.constantFrom('none', 'word', 'sentence', 'paragraph', 'completion'),
      { minLength: 1 },
    ),
    event_filters: fc.record({ include: patterns, exclude: patterns }, { requiredKeys: [] }),
    supported_conformance_levels: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1 }),
    supported_extensions: fc.uniqueArray(
      fc.constantFrom(sluiceContext, 'urn:acme:v1', 'https://x.example/v1'),
    ),
    cognitive_load: fc.constantFrom('low', 'medium', 'high'),
    pace_wpm: fc.integer({ min: 50, max: 1000 }),
    accept_signed_manifests_only: fc.boolean(),
    acme: fc.anything(),
    ['__proto__']: fc.anything(),
  },
  { requiredKeys: [], noNullPrototype: true },
)

const anyOffer: fc.Arbitrary<Offer> = fc.record({
  languages: fc.constantFrom(['en'], ['en', 'de', 'zh']),
  extensions: fc.constantFrom([], [sluiceContext]),
  isSigned: fc.boolean(),
  canAnswer: fc.boolean(),
})

const sampleTypes = [
  'aaep:agent.tool.invoked',
  'aaep:agent.tool.completed',
  'aaep:agent.state.changed',
  'acme:a',
  'acme:b',
]

function expectWithin(asked: Capabilities, honored: Capabilities): void {
  const isSubset = (inner: readonly unknown[] = [], outer: readonly unknown[] = []) =>
    inner.every((item) => outer.includes(item))
  expect(isSubset(Object.keys(honored), Object.keys(asked))).toBe(true)
  expect(honored.max_events_per_second ?? 0).toBeLessThanOrEqual(asked.max_events_per_second ?? Infinity)
  expect(isSubset(honored.languages, asked.languages)).toBe(true)
  expect(honored.languages?.length).not.toBe(0)
  expect(isSubset(honored.coalesce_boundaries, asked.coalesce_boundaries)).toBe(true)
  expect(isSubset(honored.supported_conformance_levels, asked.supported_conformance_levels)).toBe(true)
  expect(isSubset(honored.supported_extensions, asked.supported_extensions)).toBe(true)
  for (const name of ['supports_confirmation_reply', 'supports_clarification_reply'] as const)
    expect(honored[name] === true && asked[name] !== true).toBe(false)
  expect(honored.accept_signed_manifests_only).toBe(asked.accept_signed_manifests_only)
  for (const type of sampleTypes)
    if (passesFilters(type, toTerms(honored).filters))
      expect(passesFilters(type, toTerms(asked).filters)).toBe(true)
}

test('what is honoured never exceeds what was asked for, and every answer is valid to the letter', () => {
  fc.assert(
    fc.property(
      anyCapabilities,
      anyCapabilities,
      anyOffer,
      fc.option(fc.anything(), { nil: undefined, freq: 3 }),
      (first, second, given, odd) => {
        const answer = negotiate(request(first, odd === undefined ? {} : { extensions: odd }), given)
        if (!answer.ok) {
          expect(isExact(toRejected(answer))).toBe(true)
          return
        }
        expectWithin(first as Capabilities, answer.honored) // it was accepted, so it kept its schema
        expect(answer.terms).toEqual(toTerms(answer.honored))
        const producer = { agent_id: 'gateway' }
        const { honored, notes } = answer
        const told = omitUndefined({ id: 'sub_1', producer, honored, notes })
        expect(isExact(toAccepted(told))).toBe(true)
        const next = renegotiate(honored, renewal(second), given)
        if (!next.ok) {
          expect(isExact(toRejected(next))).toBe(true)
          return
        }
        expectWithin({ ...honored, ...(second as Capabilities) }, next.honored)
        expect(isExact(toAccepted({ ...told, honored: next.honored }))).toBe(true)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('any message gets an answer', () => {
  fc.assert(
    fc.property(fc.anything(), anyOffer, (message, given) => {
      const typed =
        typeof message === 'object' && message !== null
          ? { ...message, type: 'subscription.request' }
          : message
      const answer = negotiate(typed, given)
      expect(answer.ok).toBe(false)
      if (!answer.ok) expect(isExact(toRejected(answer))).toBe(true)
    }),
    { numRuns: runs(300) },
  )
})
