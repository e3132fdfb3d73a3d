import Type from 'typebox'
import { expect, test } from 'vitest'
import { nameSchemas } from './name-schemas.ts'

test('nameSchemas() puts schemas with an $id under their names, also inside each other', () => {
  const inner = Type.Object({ labels: Type.Record(Type.String(), Type.String()) }, { $id: 'Inner' })
  const outer = Type.Object({ inner, list: Type.Array(inner) }, { $id: 'Outer' })
  const named = new Map<string, object>()
  expect(nameSchemas({ content: { 'application/json': { schema: outer } }, tags: ['a'] }, named)).toEqual({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Outer' } } },
    tags: ['a'],
  })
  expect(named.get('Inner')).toEqual({ ...inner, $id: undefined })
  expect(named.get('Outer')).toHaveProperty('properties', {
    inner: { $ref: '#/components/schemas/Inner' },
    list: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
  })
})
