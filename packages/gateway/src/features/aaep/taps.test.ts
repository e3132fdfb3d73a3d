import { expect, test } from 'vitest'
import { createTaps } from './taps.ts'

test('those who listen to one session hear it alone, those who listen to all hear each', () => {
  const taps = createTaps()
  const heard: string[] = []
  const stopOne = taps.listenTo('sess_a', (session) => heard.push(`one ${session}`))
  const stopAll = taps.listen((session) => heard.push(`all ${session}`))
  taps.committed('sess_a', [])
  taps.committed('sess_b', [])
  stopOne()
  taps.committed('sess_a', [])
  stopAll()
  taps.committed('sess_a', [])
  expect(heard).toEqual(['one sess_a', 'all sess_a', 'all sess_b', 'all sess_a'])
})

test('who stops twice takes nobody else away', () => {
  const taps = createTaps()
  const heard: string[] = []
  const stop = taps.listenTo('sess_a', () => heard.push('first'))
  stop()
  taps.listenTo('sess_a', () => heard.push('second'))
  stop()
  taps.committed('sess_a', [])
  expect(heard).toEqual(['second'])
})
