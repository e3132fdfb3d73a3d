import { describe, expect, test } from 'vitest'
import { createMutex } from './mutex.ts'

/** Work that ends on request. */
function createWork() {
  let end = (_error?: Error) => {}
  const done = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error))
  })
  return { run: () => done, end }
}

describe('createMutex()', () => {
  test('runs one after the other, even after one that failed', async () => {
    const mutex = createMutex()
    const order: string[] = []
    const first = createWork()
    const failing = mutex.run(first.run, undefined)
    const second = mutex.run(async () => order.push('second'), undefined)
    const third = mutex.run(async () => order.push('third'), undefined)
    first.end(new Error('no'))
    await expect(failing).rejects.toThrow('no')
    await Promise.all([second, third])
    expect(order).toEqual(['second', 'third'])
  })

  test('leaves out work that no longer waits', async () => {
    const mutex = createMutex()
    const first = createWork()
    const running = mutex.run(first.run, undefined)
    const leaving = new AbortController()
    let ran = false
    const left = mutex.run(async () => {
      ran = true
    }, leaving.signal)
    const last = mutex.run(async () => 'done', undefined)
    leaving.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    first.end()
    await running
    expect(await last).toBe('done')
    expect(ran).toBe(false)
  })
})
