import { expect, test } from 'vitest'
import { type DemoRequest, readPrompt } from './read-prompt.ts'

test.each<[string, Partial<DemoRequest>]>([
  ['hello', { story: 'trip', language: 'en', speed: 'normal', fails: false, isQuiet: false }],
  ['Fix the failing test!', { story: 'fix', language: 'en', fails: false }],
  ['fix it, FAST and quiet', { story: 'fix', speed: 'fast', isQuiet: true }],
  ['Plan a trip, but fail.', { story: 'trip', fails: true }],
  ['a slow trip', { speed: 'slow' }],
  ['a long text in German', { story: 'long', language: 'de' }],
  ['longer and faster', { story: 'trip', speed: 'normal' }],
  ['Plane ein Wochenende am Meer', { story: 'trip', language: 'de' }],
  ['Behebe den Test', { story: 'fix', language: 'de' }],
  ['fix the bug, auf Deutsch', { story: 'fix', language: 'de' }],
  ['Plane eine Reise, in English', { story: 'trip', language: 'en' }],
  ['fix the test\ndemo: language de', { story: 'fix', language: 'de' }],
  ['Behebe den Fehler\ndemo: language en', { story: 'fix', language: 'en' }],
  ['demo: language xx', { language: 'en' }],
])('readPrompt(%j)', (prompt, request) => {
  expect(readPrompt(prompt)).toMatchObject(request)
})
