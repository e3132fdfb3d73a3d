import { expect, test } from 'vitest'
import { createSystemClock } from './system-clock.ts'

const clock = createSystemClock()

test('a timer runs once, not before it was cleared, and a delay of weeks does not run at once', async () => {
  const ran: string[] = []
  clock.after(0, () => ran.push('cleared')).clear()
  const far = clock.after(2 ** 31 + 5, () => ran.push('far'))
  const keepsAlive = setInterval(() => {}, 1000)
  await new Promise<void>((resolve) => {
    clock.after(2, () => {
      ran.push('near')
      resolve()
    })
  })
  clearInterval(keepsAlive)
  far.clear()
  far.clear()
  expect(ran).toEqual(['near'])
})

test('now is the time of the machine', () => {
  const before = Date.now()
  expect(clock.now()).toBeGreaterThanOrEqual(before)
})
