import { SluiceError } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { type RetryOptions, retry } from './retry.ts'

/** Time that passes in pauses alone. */
function createParts(more: Partial<RetryOptions> = {}) {
  let time = 0
  const pauses: number[] = []
  const outages: string[] = []
  const options: RetryOptions = {
    isFinal: () => false,
    onOutage: ({ code }) => outages.push(code),
    now: () => time,
    random: () => 1,
    async pause(ms) {
      pauses.push(ms)
      time += ms
    },
    ...more,
  }
  return { options, pauses, outages }
}

const failing = (times: number, error: unknown) => {
  let left = times
  return async () => {
    if (left-- > 0) throw error
    return 'done'
  }
}

describe('retry()', () => {
  test('waits longer each time and tells of the outage once', async () => {
    const { options, pauses, outages } = createParts()
    expect(await retry(failing(8, new SluiceError('overloaded')), options)).toBe('done')
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
    expect(outages).toEqual(['overloaded'])
  })

  test('waits at least as long as the gateway asks', async () => {
    const { options, pauses } = createParts()
    const error = new SluiceError('rate_limited', { details: { retryAfterMs: 3000 } })
    await retry(failing(1, error), options)
    expect(pauses).toEqual([3000])
  })

  test('gives up after five minutes', async () => {
    const { options, pauses } = createParts()
    const error = new SluiceError('gateway_unreachable')
    await expect(retry(failing(Number.POSITIVE_INFINITY, error), options)).rejects.toBe(error)
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(300_000)
    expect(pauses.length).toBeLessThan(100)
  })

  test.each([new SluiceError('forbidden'), new TypeError('broken')])('does not repeat %s', async (error) => {
    const { options, pauses } = createParts()
    await expect(retry(failing(1, error), options)).rejects.toBe(error)
    expect(pauses).toEqual([])
  })

  test('does not repeat what is final', async () => {
    const { options } = createParts({ isFinal: ({ code }) => code === 'closed' })
    await expect(retry(failing(1, new SluiceError('closed')), options)).rejects.toMatchObject({
      code: 'closed',
    })
  })
})
