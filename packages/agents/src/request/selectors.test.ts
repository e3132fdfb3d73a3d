import type { JsonValue } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { forkKey, resumeKey } from './extension-keys.ts'
import { assertOneSelector, readSelector } from './selectors.ts'

describe.each([resumeKey, forkKey])('%s', (key) => {
  test('is absent from most requests', () => {
    expect(readSelector({}, key)).toBeUndefined()
  })

  test.each<[JsonValue, unknown]>([
    [{ selector: 'last' }, { selector: 'last' }],
    [
      { selector: 'id', id: 'abc' },
      { selector: 'id', id: 'abc' },
    ],
    // An id belongs to the agent and is passed on unchanged.
    [
      { selector: 'id', id: 'a \u3000b' },
      { selector: 'id', id: 'a \u3000b' },
    ],
  ])('takes %j', (value, selector) => {
    expect(readSelector({ [key]: value }, key)).toEqual(selector)
  })

  test.each<[JsonValue, string]>([
    ['SECRET', ' must be an object'],
    [['last'], ' must be an object'],
    [null, ' must be an object'],
    [{ selector: 'last', zeta: 'SECRET', alpha: 'SECRET' }, ' has unknown key: alpha'],
    // By bytes U+FF5A comes before U+1D41A; by UTF-16 units it would not.
    [{ '\u{1d41a}': 1, '\uff5a': 1 }, ' has unknown key: \uff5a'],
    [{}, '.selector is required'],
    [{ id: 'SECRET' }, '.selector is required'],
    [{ selector: 7 }, '.selector must be a string'],
    [{ selector: null }, '.selector must be a string'],
    [{ selector: 'SECRET' }, '.selector must be one of: last | id'],
    [{ selector: 'Last' }, '.selector must be one of: last | id'],
    [{ selector: 'id' }, '.id is required when selector is "id"'],
    [{ selector: 'id', id: 7 }, '.id must be a string'],
    [{ selector: 'id', id: '' }, '.id must be non-empty'],
    [{ selector: 'id', id: ' \u0085' }, '.id must be non-empty'],
    ...[' a', 'a ', '\u2003a', 'a\u3000', '\ufeffa'].map((id): [JsonValue, string] => [
      { selector: 'id', id },
      '.id must not begin or end with white space',
    ]),
    [{ selector: 'last', id: 'SECRET' }, '.id must be absent when selector is "last"'],
  ])('refuses %j', (value, complaint) => {
    expect(() => readSelector({ [key]: value }, key)).toThrow(
      expect.objectContaining({ code: 'invalid_run', message: `invalid request: ${key}${complaint}` }),
    )
  })

  test('tells a long name of a key in part', () => {
    const value = { ['💖'.repeat(1000)]: 1 }
    expect(() => readSelector({ [key]: value }, key)).toThrow(
      `invalid request: ${key} has unknown key: ${'💖'.repeat(128)}…(truncated)`,
    )
  })
})

test('a session is taken up or branched off from, not both', () => {
  const last = { selector: 'last' }
  expect(() => assertOneSelector({ [resumeKey]: last })).not.toThrow()
  expect(() => assertOneSelector({ [forkKey]: last })).not.toThrow()
  expect(() => assertOneSelector({ [forkKey]: last, [resumeKey]: last })).toThrow(
    'invalid request: agent_api.session.resume.v1 and agent_api.session.fork.v1 are mutually exclusive',
  )
})
