import { getEventListeners } from 'node:events'
import { createBackoff, SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { describe, expect, test } from 'vitest'
import type { ConnectionState } from './connection-state.ts'
import { createPage } from './page.ts'
import { type Attempt, stayConnected } from './stay-connected.ts'
import { collect } from './testing/collect.ts'

type Connect = (attempt: Attempt) => AsyncGenerator<number, void>

const broken = new SluiceError('gateway_unreachable')

/** Runs over these connections one after the other, on a page that behaves like a browser's. */
function start(connections: readonly Connect[]) {
  const clock = createDrivenClock()
  const navigator = { onLine: true }
  const window = Object.assign(new EventTarget(), { navigator })
  const controller = new AbortController()
  const states: ConnectionState[] = []
  const left = [...connections]
  const items = stayConnected<number>((attempt) => left.shift()?.(attempt) ?? fail(broken), {
    clock,
    page: createPage(window, 'gateway.example'),
    signal: controller.signal,
    createBackoff: () => createBackoff({ baseMs: 1_000, random: () => 0.5 }),
    onConnection: (state) => states.push(state),
  })
  return { clock, navigator, window, controller, states, items }
}

// biome-ignore lint/correctness/useYield: a connection that breaks before anything came
async function* fail(error: unknown): AsyncGenerator<number, void> {
  throw error
}

async function* give(...numbers: readonly number[]): AsyncGenerator<number, void> {
  yield* numbers
}

const waits = (states: readonly ConnectionState[], nowMs: number) =>
  states.flatMap((state) => (state.status === 'waiting' ? [state.untilMs - nowMs] : []))

describe('stayConnected()', () => {
  test('is over when a connection returns', async () => {
    const { items, states, controller } = start([() => give(1, 2)])
    expect(await collect(items)).toEqual([1, 2])
    expect(states.map(({ status }) => status)).toEqual(['connecting', 'closed'])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  test('throws what is not retryable, and bugs', async () => {
    const denied = new SluiceError('forbidden')
    await expect(start([() => fail(denied)]).items.next()).rejects.toBe(denied)
    const bug = new TypeError('not a function')
    await expect(start([() => fail(bug)]).items.next()).rejects.toBe(bug)
  })

  test('tells the head with the connection, and once more when it is known later', async () => {
    async function* known(attempt: Attempt): AsyncGenerator<number, void> {
      attempt.opened('7')
      attempt.opened('7')
      attempt.caughtUp()
      attempt.opened('8')
      yield 1
    }
    async function* late(attempt: Attempt): AsyncGenerator<number, void> {
      attempt.opened()
      attempt.opened()
      attempt.opened('9')
      attempt.opened()
      yield 1
    }
    const statesOf = async (connect: Connect) => {
      const { items, states } = start([connect])
      await collect(items)
      return states
    }
    expect(await statesOf(known)).toEqual([
      { status: 'connecting' },
      { status: 'catching-up', head: '7' },
      { status: 'live' },
      { status: 'closed' },
    ])
    expect(await statesOf(late)).toEqual([
      { status: 'connecting' },
      { status: 'catching-up' },
      { status: 'catching-up', head: '9' },
      { status: 'closed' },
    ])
  })

  test('waits longer after each failure, and shortly again after a healthy connection', async () => {
    const { items, states, clock } = start([
      () => fail(broken),
      () => fail(broken),
      async function* (attempt) {
        attempt.opened()
        yield 1
        clock.sleep(10_000)
        throw broken
      },
      () => give(2),
    ])
    const begin = clock.now()
    const first = items.next()
    clock.advance(await clock.nextTimer())
    clock.advance(await clock.nextTimer())
    expect((await first).value).toBe(1)
    expect(waits(states, begin)).toEqual([500, 500 + 1_000])
    const second = items.next()
    const waitMs = await clock.nextTimer()
    expect(waitMs).toBe(500)
    clock.advance(waitMs)
    expect((await second).value).toBe(2)
  })

  test('does not take a connection for healthy that broke soon', async () => {
    const soon: Connect = async function* (attempt) {
      attempt.opened()
      yield 1
      throw broken
    }
    const { items, clock, controller } = start([soon, soon, soon, () => give(2)])
    await items.next()
    for (const expected of [500, 1_000, 2_000]) {
      const next = items.next()
      const waitMs = await clock.nextTimer()
      expect(waitMs).toBe(expected)
      clock.advance(waitMs)
      await next
    }
    // The listener of the current connection.
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  })

  test('spends no try while the platform is offline', async () => {
    let tries = 0
    const { items, navigator, window, states, clock } = start([
      () => {
        tries += 1
        return give(1)
      },
    ])
    navigator.onLine = false
    const next = items.next()
    await new Promise(setImmediate)
    clock.advance(3_600_000)
    window.dispatchEvent(new Event('online'))
    expect(tries).toBe(0)
    expect(states).toEqual([{ status: 'offline' }])
    navigator.onLine = true
    window.dispatchEvent(new Event('online'))
    expect((await next).value).toBe(1)
    expect(states.map(({ status }) => status)).toEqual(['offline', 'connecting'])
  })

  test('tries at once when the page wakes', async () => {
    const { items, window, clock } = start([() => fail(broken), () => give(1)])
    const next = items.next()
    await clock.nextTimer()
    window.dispatchEvent(new Event('online'))
    expect((await next).value).toBe(1)
    expect(clock.timers).toBe(0)
  })

  test('waits as long as the gateway asks even when the page wakes', async () => {
    const busy = new SluiceError('overloaded', { details: { retryAfterMs: 5_000 } })
    const { items, window, clock } = start([() => fail(busy), () => give(1)])
    const next = items.next()
    const waitMs = await clock.nextTimer()
    expect(waitMs).toBe(5_500)
    window.dispatchEvent(new Event('online'))
    expect(clock.timers).toBe(1)
    clock.advance(waitMs)
    expect((await next).value).toBe(1)
  })

  test('ends with the reason of its signal while it waits, connected or not', async () => {
    const waiting = start([() => fail(broken)])
    const next = waiting.items.next()
    await waiting.clock.nextTimer()
    waiting.controller.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(waiting.clock.timers).toBe(0)
    const offline = start([])
    offline.navigator.onLine = false
    const never = offline.items.next()
    offline.controller.abort(new Error('enough'))
    await expect(never).rejects.toThrow('enough')
  })

  test('fails an attempt that was given up with the error that was given', async () => {
    const { items, states, clock } = start([
      async function* (attempt) {
        attempt.giveUp(new SluiceError('gateway_unreachable', { message: 'Silent.' }))
        attempt.signal.throwIfAborted()
        yield 0
      },
      () => give(1),
    ])
    const next = items.next()
    clock.advance(await clock.nextTimer())
    expect((await next).value).toBe(1)
    expect(states[1]).toMatchObject({ status: 'waiting', error: { message: 'Silent.' } })
  })
})
