import { expect, test } from 'vitest'
import { modelKey } from './extension-keys.ts'
import { readModel } from './model.ts'

test('a request without a model names none', () => {
  expect(readModel({})).toBeUndefined()
})

test.each([
  ['opus', 'opus'],
  [' \u0085gpt-5\u3000', 'gpt-5'],
  ['x'.repeat(128), 'x'.repeat(128)],
  [`  ${'é'.repeat(64)}  `, 'é'.repeat(64)],
])('the model %j is read without white space around it', (value, model) => {
  expect(readModel({ [modelKey]: value })).toBe(model)
})

test.each([
  [7],
  [null],
  [true],
  [['SECRET']],
  [{ model: 'SECRET' }],
  [''],
  [' \u0085\u3000'],
  ['SECRET'.repeat(22)],
  // 65 characters, 130 bytes.
  ['é'.repeat(65)],
])('the model %j is refused by one sentence that does not tell it', (value) => {
  expect(() => readModel({ [modelKey]: value })).toThrow(
    expect.objectContaining({
      code: 'invalid_run',
      message: 'invalid request: invalid agent_api.config.model.v1',
    }),
  )
})
