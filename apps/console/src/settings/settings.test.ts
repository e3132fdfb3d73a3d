import { expect, test } from 'vitest'
import { defaultSettings, parseSettings } from './settings.ts'

test.each([
  null,
  '',
  'nonsense',
  '[]',
  'null',
  '{}',
  '{"theme":"pink","rateWpm":7,"language":"!","other":1}',
])('parseSettings() takes the defaults for %j', (text) =>
  expect(parseSettings(text)).toEqual(defaultSettings),
)

test('parseSettings() reads what was kept', () => {
  const kept = {
    ...defaultSettings,
    theme: 'dark',
    rateWpm: 180,
    language: 'pt-BR',
    load: 'low',
    shortcuts: false,
  }
  expect(parseSettings(JSON.stringify(kept))).toEqual(kept)
})
