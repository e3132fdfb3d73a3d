import { expect, test } from 'vitest'
import { createPendingBytes } from './pending-bytes.ts'

const never = new AbortController().signal

test('reserve() counts until it is released, once', () => {
  const pending = createPendingBytes(100)
  const release = pending.reserve(60)
  expect(() => pending.reserve(50)).toThrow(expect.objectContaining({ code: 'overloaded' }))
  expect(pending.bytes).toBe(60)
  release()
  release()
  expect(pending.bytes).toBe(0)
})

test('what is larger than the bound passes when nothing else waits', () => {
  const pending = createPendingBytes(100)
  const release = pending.reserve(500)
  expect(() => pending.reserve(1)).toThrow()
  release()
})

test('wait() lets those through that fit, as soon as they do', async () => {
  const pending = createPendingBytes(100)
  const release = pending.reserve(80)
  const passed: number[] = []
  const waits = [40, 10, 70].map(async (bytes) => {
    const done = await pending.wait(bytes, never)
    passed.push(bytes)
    return done
  })
  await Promise.resolve()
  release()
  const [first, second] = await Promise.all(waits.slice(0, 2))
  first?.()
  second?.()
  ;(await waits[2])?.()
  expect(passed.sort()).toEqual([10, 40, 70])
  expect(pending.bytes).toBe(0)
})

test('wait() gives up when it is told to, and leaves nothing behind', async () => {
  const pending = createPendingBytes(100)
  const release = pending.reserve(100)
  const leaving = new AbortController()
  const waiting = pending.wait(10, leaving.signal)
  leaving.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'closed' })
  release()
  expect(pending.bytes).toBe(0)
})
