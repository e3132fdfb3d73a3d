import { describe, expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Work that ends on request. */
function createWork() {
  let end = (_error?: Error) => {}
  const done = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error))
  })
  return { run: () => done, end }
}

describe('createTurns()', () => {
  test('runs one after the other, also behind one that failed', async () => {
    const turns = createTurns()
    const order: string[] = []
    const first = createWork()
    const failing = turns.alone(first.run, undefined)
    const second = turns.alone(async () => order.push('second'), undefined)
    const third = turns.alone(async () => order.push('third'), undefined)
    first.end(new Error('no'))
    await expect(failing).rejects.toThrow('no')
    await Promise.all([second, third])
    expect(order).toEqual(['second', 'third'])
  })

  test('leaves out who no longer waits', async () => {
    const turns = createTurns()
    const first = createWork()
    const running = turns.alone(first.run, undefined)
    const leaving = new AbortController()
    let ran = false
    const left = turns.alone(async () => {
      ran = true
    }, leaving.signal)
    const last = turns.alone(async () => 'done', undefined)
    leaving.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    first.end()
    await running
    expect(await last).toBe('done')
    expect(ran).toBe(false)
  })
})
