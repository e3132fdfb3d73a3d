import { expect, test } from 'vitest'
import { type DemoRequest, readPrompt } from './read-prompt.ts'

test.each<[string, Partial<DemoRequest>]>([
  ['hello', { story: 'trip', language: 'en', speed: 'normal', fails: false, isQuiet: false }],
  ['Fix the failing test!', { story: 'fix', language: 'en', fails: false }],
  ['fix it, FAST and quiet', { story: 'fix', speed: 'fast', isQuiet: true }],
  ['Plan a trip, but fail.', { story: 'trip', fails: true }],
  ['a slow trip', { speed: 'slow' }],
  ['a long text in Arabic', { story: 'long', language: 'ar' }],
  ['longer and faster', { story: 'trip', speed: 'normal' }],
  ['Plane ein Wochenende am Meer', { story: 'trip', language: 'de' }],
  ['Behebe den Test', { story: 'fix', language: 'de' }],
  ['fix the bug, auf Deutsch', { story: 'fix', language: 'de' }],
  ['Planifie un voyage', { story: 'trip', language: 'fr' }],
  ['Corrige las pruebas', { story: 'fix', language: 'es' }],
  ['خطط رحلة', { story: 'trip', language: 'ar' }],
  ['أصلح الاختبار', { story: 'fix', language: 'ar' }],
  ['週末の旅行を計画して', { story: 'trip', language: 'ja' }],
  ['テストを直して', { story: 'fix', language: 'ja' }],
  ['计划一次周末旅行', { story: 'trip', language: 'zh' }],
  ['修复测试', { story: 'fix', language: 'zh' }],
  ['旅行の計画, in English', { language: 'en' }],
  ['fix the test\ndemo: language ja', { story: 'fix', language: 'ja' }],
  ['demo: language xx', { language: 'en' }],
])('readPrompt(%j)', (prompt, request) => {
  expect(readPrompt(prompt)).toMatchObject(request)
})
