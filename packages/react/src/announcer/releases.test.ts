import { type Rank, ranks } from '@sluice/protocol/narrate'
import { expect, test } from 'vitest'
import { createReleases } from './releases.ts'

/** Releases with a clock whose timers a test fires. */
function open() {
  const timers = new Map<object, () => void>()
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_ms: number, run: () => void) {
      const timer = { clear: () => void timers.delete(timer) }
      timers.set(timer, run)
      return timer
    },
  }
  const released: string[] = []
  const releases = createReleases(clock, ({ text }) => void released.push(text))
  const add = (text: string, rank: Rank = ranks.session) => releases.add({ text }, rank)
  const ring = () => {
    for (const [timer, run] of [...timers]) if (timers.delete(timer)) run()
  }
  return { releases, released, add, ring, timers }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

test('hands on a few at once, and the others later, in their order', () => {
  const { releases, released, add, ring, timers } = open()
  for (const each of numbers(60)) add(each)
  expect([released.length, releases.waiting]).toEqual([25, 35])
  ring()
  expect(released).toHaveLength(50)
  ring()
  expect(released).toEqual(numbers(60))
  ring()
  expect(timers.size).toBe(0)
})

test('does not let wait what is critical or asked for', () => {
  const { released, add, ring } = open()
  for (const each of numbers(30)) add(each)
  add('fire', ranks.critical)
  add('again', ranks.asked)
  add('here', ranks.key)
  expect(released.slice(25)).toEqual(['fire', 'again', 'here'])
  ring()
  expect(released.slice(28)).toEqual(['25', '26', '27', '28', '29'])
})

test('holds everything for a time, with what is put back at its head', () => {
  const { releases, released, add, ring } = open()
  releases.hold(100)
  add('two')
  add('fire', ranks.critical)
  releases.putBack({ text: 'one' }, ranks.session)
  expect(released).toEqual([])
  ring()
  expect(released).toEqual(['fire', 'one', 'two'])
})

test('forgets what waits', () => {
  const { releases, released, add, ring, timers } = open()
  for (const each of numbers(30)) add(each)
  releases.clear()
  expect([releases.waiting, timers.size]).toEqual([0, 0])
  add('next')
  ring()
  expect(released.slice(25)).toEqual(['next'])
})
