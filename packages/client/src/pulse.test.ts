import { createDrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import { createPulse } from './pulse.ts'

const page = { isOnline: () => true, onWake: () => () => {} }

function start(answers: boolean) {
  const clock = createDrivenClock()
  let asked = 0
  let deaths = 0
  const pulse = createPulse({
    clock,
    page,
    heartbeatMs: 10_000,
    ask() {
      asked += 1
      if (answers) pulse.heard()
    },
    onDead() {
      deaths += 1
    },
  })
  return { clock, pulse, asked: () => asked, deaths: () => deaths }
}

describe('createPulse()', () => {
  test('asks a peer that is silent for a heartbeat, and is content with its answer', () => {
    const { clock, asked, deaths, pulse } = start(true)
    clock.advance(9_999)
    expect(asked()).toBe(0)
    clock.advance(100_001)
    expect(asked()).toBe(11)
    expect(deaths()).toBe(0)
    pulse.stop()
    expect(clock.timers).toBe(0)
  })

  test('does not ask a peer that speaks', () => {
    const { clock, asked, pulse } = start(true)
    for (let count = 0; count < 20; count++) {
      clock.advance(9_000)
      pulse.heard()
    }
    expect(asked()).toBe(0)
  })

  test('asks once, and calls a peer dead after 2.5 heartbeats without an answer', () => {
    const { clock, asked, deaths } = start(false)
    clock.advance(24_999)
    expect([asked(), deaths()]).toEqual([1, 0])
    clock.advance(1)
    expect(deaths()).toBe(1)
    clock.advance(1_000_000)
    expect([asked(), deaths()]).toEqual([1, 1])
    expect(clock.timers).toBe(0)
  })

  test('waits for the answer of a peer that it asked too late, and only for that', () => {
    const living = start(true)
    living.clock.sleep(60_000)
    living.clock.advance(0)
    expect([living.asked(), living.deaths()]).toEqual([1, 0])
    const dead = start(false)
    dead.clock.sleep(60_000)
    dead.clock.advance(0)
    expect([dead.asked(), dead.deaths()]).toEqual([1, 0])
    dead.clock.advance(25_000)
    expect(dead.deaths()).toBe(1)
  })
})
