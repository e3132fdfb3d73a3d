import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { pause } from '../pause.ts'
import { createVirtualClock } from './virtual-clock.ts'

test('an hour passes in a moment, and timers run in the order of their time', async () => {
  const clock = createVirtualClock()
  const start = clock.monotonic()
  const ran: (readonly [string, number])[] = []
  const note = (name: string) => () => void ran.push([name, clock.monotonic() - start])
  clock.after(2000, note('second'))
  clock.after(1000, note('first'))
  clock.after(1000, note('beside it'))
  clock.after(1500, note('cleared')).clear()
  const startedAt = performance.now()
  await pause(clock, 3_600_000)
  expect(ran).toEqual([
    ['first', 1000],
    ['beside it', 1000],
    ['second', 2000],
  ])
  expect(clock.monotonic() - start).toBe(3_600_000)
  expect(performance.now() - startedAt).toBeLessThan(60_000)
})

test('a timer that clears another one of the same time keeps it from running', async () => {
  const clock = createVirtualClock()
  let hasRun = false
  clock.after(5, () => other.clear())
  const other = clock.after(5, () => {
    hasRun = true
  })
  await pause(clock, 10)
  expect(hasRun).toBe(false)
})

test('time stands still while sockets are read and written', async () => {
  const clock = createVirtualClock()
  const start = clock.monotonic()
  const server = createServer((request, response) => void request.pipe(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const timeouts: number[] = []
  const timer = clock.after(1, () => timeouts.push(clock.monotonic()))
  try {
    const body = 'x'.repeat(1_000_000)
    for (let nth = 0; nth < 20; nth += 1) {
      const response = await fetch(url, { method: 'POST', body })
      expect(await response.text()).toBe(body)
    }
    expect(timeouts).toEqual([])
    expect(clock.monotonic()).toBe(start)
  } finally {
    timer.clear()
    server.closeAllConnections()
    server.close()
  }
})
