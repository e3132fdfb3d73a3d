import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Action, actions, type SessionTarget } from './caller.ts'
import { createReach, matchesGlob, maxGrantLength, maxGrants, parseGrant, parseGrants } from './grants.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)

const target = (fields: Partial<SessionTarget> = {}): SessionTarget => ({
  id: 'sess_abc',
  labels: {},
  ...fields,
})

function reach(grants: readonly string[], agent?: string) {
  return createReach(parseGrants(grants) ?? [], { subject: 'ada', agent })
}

describe('a grant', () => {
  test.each([
    ['subscribe:*', target(), true],
    ['*:*', target(), true],
    ['publish:*', target(), false],
    ['subscribe:own', target({ owner: 'ada' }), true],
    ['subscribe:own', target({ owner: 'Ada' }), false],
    ['subscribe:own', target(), false],
    ['subscribe:label:team=blue', target({ labels: { team: 'blue' } }), true],
    ['subscribe:label:team=blue', target({ labels: { team: 'blues' } }), false],
    ['subscribe:label:team=blue', target({ labels: { other: 'blue' } }), false],
    ['subscribe:label:team=a=b', target({ labels: { team: 'a=b' } }), true],
    ['subscribe:label:team=', target({ labels: { team: '' } }), true],
    ['subscribe:label:team=*', target({ labels: { team: 'blue' } }), false],
    ['subscribe:label:constructor=x', target(), false],
    ['subscribe:session:sess_abc', target(), true],
    ['subscribe:session:sess_ab', target(), false],
    ['subscribe:session:sess_ab*', target(), true],
    ['subscribe:session:*c', target(), true],
    ['subscribe:session:sess_.*', target(), false],
    ['subscribe:agent:demo', target({ agent: 'demo' }), true],
    ['subscribe:agent:de*', target({ agent: 'demo' }), true],
    ['subscribe:agent:*', target(), false],
    ['subscribe:agent:demo', target({ agent: 'demon' }), false],
  ])('%s on %j answers subscribe with %s', (grant, session, answer) => {
    expect(reach([grant]).can('subscribe', session)).toBe(answer)
  })

  test.each(actions)('of %s gives that action and no other', (action) => {
    const { can, canSome } = reach([`${action}:*`])
    expect(actions.filter((other) => can(other, target()))).toEqual([action])
    expect(actions.filter((other) => canSome(other))).toEqual([action])
  })

  test.each([
    '',
    'publish',
    'publish:',
    ':own',
    'publish:mine',
    'write:own',
    'Publish:own',
    'publish :own',
    'publish:label:team',
    'publish:label:=blue',
    'publish:session:',
    'publish:agent:',
    'publish,subscribe:own',
    `publish:session:${'a'.repeat(maxGrantLength)}`,
  ])('is not %j', (text) => {
    expect(parseGrant(text)).toBeUndefined()
    expect(parseGrants(['publish:own', text])).toBeUndefined()
  })

  test('is one of a bounded number', () => {
    expect(parseGrants(Array.from({ length: maxGrants }, () => 'publish:own'))).toHaveLength(maxGrants)
    expect(parseGrants(Array.from({ length: maxGrants + 1 }, () => 'publish:own'))).toBeUndefined()
  })
})

describe('creating a session', () => {
  test.each([
    [['publish:own'], target(), true],
    [['publish:own'], target({ owner: 'eve' }), true],
    [['subscribe:*', 'answer:*', 'run:*', 'admin:*'], target(), false],
    [['publish:session:sess_a*'], target(), true],
    [['publish:session:sess_b*'], target(), false],
    [['publish:label:team=blue'], target({ labels: { team: 'blue' } }), true],
    [['publish:label:team=blue'], target(), false],
    [['publish:agent:demo'], target({ agent: 'demo' }), true],
    [['publish:agent:demo'], target({ agent: 'other' }), false],
    [['publish:agent:demo'], target(), false],
  ])('with %j as %j is answered with %s', (grants, session, answer) => {
    expect(reach(grants).canCreate(session)).toBe(answer)
  })

  test('that no event gives an agent yet leaves it to the agent of its creator', () => {
    const { can } = reach(['publish:agent:demo'], 'demo')
    expect(can('publish', target({ owner: 'ada' }))).toBe(true)
    expect(can('publish', target({ owner: 'ada', agent: 'other' }))).toBe(false)
    expect(can('publish', target({ owner: 'eve' }))).toBe(false)
    expect(can('publish', target())).toBe(false)
  })

  test('counts the agent that the credential is bound to', () => {
    expect(reach(['publish:agent:demo'], 'demo').canCreate(target())).toBe(true)
    expect(reach(['publish:agent:demo'], 'other').canCreate(target())).toBe(false)
    expect(reach(['publish:agent:demo'], 'demo').canCreate(target({ agent: 'other' }))).toBe(false)
  })
})

describe('nobody reaches what no grant covers', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '=', ':', '_'), minLength: 1, maxLength: 6 })
  const id = fc.stringMatching(/^sess_[ab]{1,4}$/)
  const session: fc.Arbitrary<SessionTarget> = fc.record(
    {
      id,
      owner: word,
      agent: word,
      labels: fc.dictionary(
        word.filter((name) => !name.includes('=')),
        word,
        { maxKeys: 3 },
      ),
    },
    { requiredKeys: ['id', 'labels'] },
  )
  const action = fc.constantFrom<Action>(...actions)

  test('a grant for one session never reaches another, whatever its owner, agent and labels', () => {
    fc.assert(
      fc.property(id, session, action, word, (own, other, wanted, subject) => {
        const grants = parseGrants([`*:session:${own}`]) ?? []
        const { can, canCreate } = createReach(grants, { subject, agent: subject })
        expect(can(wanted, other)).toBe(other.id === own)
        expect(canCreate(other)).toBe(other.id === own)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('a grant on own, a label or an agent reaches exactly what has it', () => {
    fc.assert(
      fc.property(session, action, word, word, (other, wanted, name, value) => {
        const can = (scope: string) =>
          createReach(parseGrants([`${wanted}:${scope}`]) ?? [], { subject: value, agent: undefined }).can(
            wanted,
            other,
          )
        expect(can('own')).toBe(other.owner === value)
        if (!name.includes('='))
          expect(can(`label:${name}=${value}`)).toBe(
            Object.entries(other.labels).some(([key, content]) => key === name && content === value),
          )
        if (!value.includes('*')) expect(can(`agent:${value}`)).toBe(other.agent === value)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('no grants reach nothing', () => {
    fc.assert(
      fc.property(session, action, word, (other, wanted, subject) => {
        const { can, canCreate, canSome } = createReach([], { subject, agent: subject })
        expect([can(wanted, other), canCreate(other), canSome(wanted)]).toEqual([false, false, false])
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('a glob', () => {
  test('matches as the regular expression of its stars does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    fc.assert(
      fc.property(text, glob, (subject, pattern) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(subject)
        expect(matchesGlob(subject, pattern)).toBe(expected)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('with many stars ends on a long text that does not match', () => {
    expect(matchesGlob('a'.repeat(10_000), `${'*a'.repeat(100)}*b`)).toBe(false)
  })
})
