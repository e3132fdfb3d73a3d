import { expect, test } from 'vitest'
import { createSessionListeners } from './session-listeners.ts'

test('those who listen to one session hear it alone, those who listen to all hear each', () => {
  const listeners = createSessionListeners()
  const heard: string[] = []
  const stopOne = listeners.listenTo('sess_a', (session) => heard.push(`one ${session}`))
  const stopAll = listeners.listen((session) => heard.push(`all ${session}`))
  listeners.committed('sess_a', [])
  listeners.committed('sess_b', [])
  stopOne()
  listeners.committed('sess_a', [])
  stopAll()
  listeners.committed('sess_a', [])
  expect(heard).toEqual(['one sess_a', 'all sess_a', 'all sess_b', 'all sess_a'])
})

test('who stops twice takes nobody else away', () => {
  const listeners = createSessionListeners()
  const heard: string[] = []
  const stop = listeners.listenTo('sess_a', () => heard.push('first'))
  stop()
  listeners.listenTo('sess_a', () => heard.push('second'))
  stop()
  listeners.committed('sess_a', [])
  expect(heard).toEqual(['second'])
})
