import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createPatience } from './patience.ts'

/** Runs what follows a turn of reading. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const timings = { idleMs: 1000, settleMs: 400, lingerMs: 200, drainMs: 50 }

function createStage() {
  const clock = createDrivenClock()
  const happened: string[] = []
  const stage = { isExcused: false }
  const patience = createPatience(clock, timings, {
    isExcused: () => stage.isExcused,
    onIdle: () => void happened.push('idle'),
    onUndrained: () => void happened.push('undrained'),
  })
  return { clock, happened, stage, patience, linger: () => patience.linger(() => happened.push('lingered')) }
}

test('what does not come in time has failed, and once', async () => {
  const { clock, happened, patience } = createStage()
  patience.wait()
  clock.advance(999)
  await turn()
  expect(happened).toEqual([])
  clock.advance(1)
  await turn()
  expect(happened).toEqual(['idle'])
  clock.advance(5000)
  await turn()
  expect(happened).toEqual(['idle'])
})

test.each(['idle', 'undrained'])(
  'what could not be read in time is read before an agent is %s',
  async (name) => {
    const { clock, happened, patience } = createStage()
    if (name === 'undrained') patience.exited()
    patience.wait()
    clock.advance(1000)
    patience.rest()
    await turn()
    expect(happened).toEqual([])
    patience.wait()
    clock.advance(1000)
    await turn()
    expect(happened).toEqual([name])
  },
)

test('time begins anew with each thing that comes', async () => {
  const { clock, happened, patience } = createStage()
  for (let n = 0; n < 10; n++) {
    patience.wait()
    clock.advance(900)
    await turn()
    patience.rest()
  }
  expect(happened).toEqual([])
})

test('time in which nothing is waited for does not count', async () => {
  const { clock, happened, patience } = createStage()
  patience.wait()
  patience.rest()
  clock.advance(100_000)
  await turn()
  expect(happened).toEqual([])
  expect(clock.timers).toBe(0)
})

test('while a person is asked nothing needs to come, and afterwards it does', async () => {
  const { clock, happened, stage, patience } = createStage()
  stage.isExcused = true
  patience.wait()
  clock.advance(100_000)
  await turn()
  expect(happened).toEqual([])
  stage.isExcused = false
  patience.renew()
  clock.advance(1000)
  await turn()
  expect(happened).toEqual(['idle'])
})

test('less is waited for an agent that may be done, until more comes', async () => {
  const { clock, happened, patience } = createStage()
  patience.settle(true)
  patience.wait()
  clock.advance(400)
  await turn()
  expect(happened).toEqual(['idle'])
  patience.rest()
  patience.settle(false)
  patience.wait()
  clock.advance(999)
  await turn()
  expect(happened).toEqual(['idle'])
})

test('an agent that is done may stay for a moment, counted from its first word of it', () => {
  const { clock, happened, linger } = createStage()
  linger()
  clock.advance(150)
  linger()
  clock.advance(50)
  expect(happened).toEqual(['lingered'])
})

test('an agent that goes in time is not ended', () => {
  const { clock, happened, patience, linger } = createStage()
  linger()
  patience.exited()
  linger()
  clock.advance(100_000)
  expect(happened).toEqual([])
})

test('once the agent is gone, what is on its way has less time, also in a run that is being ended', async () => {
  const { clock, happened, patience } = createStage()
  patience.wait()
  patience.stop()
  clock.advance(100_000)
  await turn()
  expect(happened).toEqual([])
  patience.exited()
  clock.advance(50)
  await turn()
  expect(happened).toEqual(['undrained'])
})

test('what comes now and then does not give a process more time once the agent is gone', async () => {
  const { clock, happened, patience } = createStage()
  patience.exited()
  for (let n = 0; n < 2; n++) {
    patience.wait()
    clock.advance(20)
    patience.rest()
    clock.advance(1000)
  }
  patience.wait()
  clock.advance(9)
  await turn()
  expect(happened).toEqual([])
  clock.advance(1)
  await turn()
  expect(happened).toEqual(['undrained'])
})

test('an end leaves no timer behind', () => {
  const { clock, patience, linger } = createStage()
  patience.wait()
  linger()
  patience.rest()
  patience.stop()
  expect(clock.timers).toBe(0)
  patience.exited()
  patience.stop()
  expect(clock.timers).toBe(0)
})
