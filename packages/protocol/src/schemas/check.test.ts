import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { createChecker } from './check.ts'

const schema = Type.Object(
  {
    id: Type.String({ pattern: '^x_' }),
    level: Type.Optional(Type.Enum(['low', 'high'])),
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    list: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })),
    inner: Type.Optional(Type.Object({ a: Type.Literal('b') }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)
const checker = createChecker(schema, 'Test §1')

describe('createChecker()', () => {
  test('reads unknown fields and enum values openly, and to the letter when asked', () => {
    const value = { id: 'x_1', level: 'medium', more: 1 }
    expect(checker.isExact(value)).toBe(false)
    expect(checker.findings(value)).toEqual([])
    expect(checker.exactFindings(value).map(({ code }) => code)).toEqual(
      expect.arrayContaining(['unknown_value', 'unexpected_field']),
    )
  })

  test.each([
    [{}, 'missing_field', '/id'],
    [{ id: 1 }, 'wrong_type', '/id'],
    [{ id: 'SECRET' }, 'wrong_pattern', '/id'],
    [{ id: 'x_', level: 7 }, 'wrong_type', '/level'],
    [{ id: 'x_', count: -1 }, 'out_of_range', '/count'],
    [{ id: 'x_', count: 10 }, 'out_of_range', '/count'],
    [{ id: 'x_', name: '' }, 'too_short', '/name'],
    [{ id: 'x_', name: 'SECRET' }, 'too_long', '/name'],
    [{ id: 'x_', list: [] }, 'too_few_items', '/list'],
    [{ id: 'x_', list: ['a', 'b', 'c'] }, 'too_many_items', '/list'],
    [{ id: 'x_', list: ['a', 'a'] }, 'repeated_item', '/list'],
    [{ id: 'x_', inner: { a: 'SECRET' } }, 'wrong_value', '/inner/a'],
  ])('finds in %j that it is %s at %s, without quoting it', (value, code, path) => {
    const findings = checker.findings(value)
    expect(findings[0]).toMatchObject({ code, path, rule: 'Test §1' })
    expect(JSON.stringify(findings)).not.toContain('SECRET')
  })

  test('counts the length of a text in code points', () => {
    expect(checker.isExact({ id: 'x_', name: '👍👍👍' })).toBe(true)
    expect(checker.isExact({ id: 'x_', name: '👍👍👍👍' })).toBe(false)
  })

  test('tells of a handful of findings at most', () => {
    const many = createChecker(Type.Array(Type.String()), 'Test')
    expect(many.findings(Array.from({ length: 100 }, () => 1))).toHaveLength(8)
  })
})
