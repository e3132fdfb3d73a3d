import { describe, expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'
import type { Clock } from './clock.ts'
import { SluiceError } from './error.ts'
import { type RetryOptions, retry } from './retry.ts'

/** A clock on which every timer is due immediately, and time passes only in waits. */
function createParts(more: Partial<RetryOptions> = {}) {
  let time = 0
  const pauses: number[] = []
  const failures: unknown[] = []
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    after(ms, run) {
      pauses.push(ms)
      time += ms
      queueMicrotask(run)
      return { clear() {} }
    },
  }
  const options: RetryOptions = {
    clock,
    signal: new AbortController().signal,
    backoff: createBackoff({ baseMs: 100, maxMs: 5_000, random: () => 1 }),
    onFailure: (error) => failures.push(error),
    ...more,
  }
  return { options, pauses, failures }
}

const failing = (times: number, error: unknown) => {
  let left = times
  return async () => {
    if (left-- > 0) throw error
    return 'done'
  }
}

describe('retry()', () => {
  test('waits longer each time and tells of every failure', async () => {
    const { options, pauses, failures } = createParts()
    const error = new SluiceError('overloaded')
    expect(await retry(failing(8, error), options)).toBe('done')
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
    expect(failures).toEqual(Array(8).fill(error))
  })

  test('waits at least as long as the gateway asks, also when woken', async () => {
    const onWake = (listener: () => void) => {
      listener()
      return () => {}
    }
    const backoff = createBackoff({ random: () => 0 })
    const { options, pauses } = createParts({ backoff, onWake })
    const error = new SluiceError('rate_limited', { details: { retryAfterMs: 3000 } })
    await retry(failing(1, error), options)
    expect(pauses).toEqual([3000])
  })

  test('does not wait longer than allowed for a gateway that asks for it', async () => {
    const { options, pauses } = createParts({ maxAskedMs: 2_999 })
    const error = new SluiceError('rate_limited', { details: { retryAfterMs: 3000 } })
    await expect(retry(failing(1, error), options)).rejects.toBe(error)
    expect(pauses).toEqual([])
  })

  test('gives up after an outage of five minutes', async () => {
    const { options, pauses } = createParts({ maxOutageMs: 300_000 })
    const error = new SluiceError('gateway_unreachable')
    await expect(retry(failing(Number.POSITIVE_INFINITY, error), options)).rejects.toBe(error)
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(300_000)
    expect(pauses.length).toBeLessThan(100)
  })

  test('gives up after so many tries', async () => {
    const { options, pauses } = createParts({ maxTries: 3 })
    const error = new SluiceError('overloaded')
    await expect(retry(failing(3, error), options)).rejects.toBe(error)
    expect(pauses).toHaveLength(2)
  })

  test.each([new SluiceError('forbidden'), new TypeError('broken')])('does not repeat %s', async (error) => {
    const { options, pauses } = createParts()
    await expect(retry(failing(1, error), options)).rejects.toBe(error)
    expect(pauses).toEqual([])
  })

  test('gives up when onFailure throws', async () => {
    const final = new SluiceError('closed')
    const { options, pauses } = createParts({
      onFailure() {
        throw final
      },
    })
    await expect(retry(failing(1, new SluiceError('overloaded')), options)).rejects.toBe(final)
    expect(pauses).toEqual([])
  })

  test('rejects with the reason of its signal, during an attempt and during a wait', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const during = createParts({ signal: controller.signal })
    const attempt = async () => {
      controller.abort(reason)
      throw new SluiceError('overloaded')
    }
    await expect(retry(attempt, during.options)).rejects.toBe(reason)
    const waiting = new AbortController()
    const never: Clock = { now: () => 0, monotonic: () => 0, after: () => ({ clear() {} }) }
    const onFailure = () => queueMicrotask(() => waiting.abort(reason))
    const { options } = createParts({ clock: never, signal: waiting.signal, onFailure })
    await expect(retry(failing(1, new SluiceError('overloaded')), options)).rejects.toBe(reason)
  })
})
