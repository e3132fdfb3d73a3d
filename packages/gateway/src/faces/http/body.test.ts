import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { SluiceError } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { readBody, readBytes } from './body.ts'
import { type BodyWatch, createBodyWatch } from './body-watch.ts'

function openWatch() {
  const clock = createDrivenClock()
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new SluiceError('closed'))
  return { clock, stop, watch: createBodyWatch({ clock, idleMs: 10_000, draining: stopping.signal }) }
}

/** Reads a body whose chunks are each taken once they are released. */
function readSlowly(body: PassThrough, watch: BodyWatch) {
  const taken: string[] = []
  let taking = (): void => {}
  const reading = readBody(body, watch, (chunk) => {
    taken.push(chunk.toString())
    return new Promise((resolve) => {
      taking = resolve
    })
  })
  return { reading, taken, release: () => taking() }
}

const turn = (): Promise<void> => new Promise((run) => setImmediate(run))

test('a body whose client left before it was read is incomplete', async () => {
  const body = new PassThrough()
  body.write('begun')
  body.destroy()
  await once(body, 'close')
  await expect(readBytes(body, openWatch().watch, 100)).rejects.toMatchObject({ code: 'body_incomplete' })
})

test('no chunk is passed on before the one before it is taken, and the time until then does not count', async () => {
  const { clock, watch } = openWatch()
  const body = new PassThrough()
  const { reading, taken, release } = readSlowly(body, watch)
  body.write('a')
  await turn()
  body.write('b')
  body.end()
  clock.advance(60_000)
  await turn()
  expect(taken).toEqual(['a'])
  release()
  await turn()
  release()
  await reading.done
  expect(taken).toEqual(['a', 'b'])
})

test('a body that stalls is given up, however many arrive beside it', async () => {
  const { clock, watch } = openWatch()
  const stalled = readBytes(new PassThrough(), watch, 100).catch(({ code }: SluiceError) => code)
  const live = new PassThrough()
  const whole = readBytes(live, watch, 100)
  for (let second = 0; second < 11; second++) {
    clock.advance(1000)
    live.write('x')
    await turn()
  }
  expect(await stalled).toBe('request_timeout')
  live.end()
  expect((await whole).toString()).toBe('x'.repeat(11))
  clock.advance(1000)
  expect(clock.timers).toBe(0)
})

test('a gateway that stops reads what has arrived and waits for nothing else', async () => {
  const { watch, stop } = openWatch()
  const body = new PassThrough()
  const { reading, taken, release } = readSlowly(body, watch)
  body.write('a')
  await turn()
  body.write('b')
  stop()
  release()
  await turn()
  release()
  await expect(reading.done).rejects.toMatchObject({ code: 'closed' })
  expect(taken).toEqual(['a', 'b'])
})

test('a gateway that stops waits for the chunk that is being taken', async () => {
  const { watch, stop } = openWatch()
  const body = new PassThrough()
  const { reading, release } = readSlowly(body, watch)
  let isDone = false
  const done = reading.done.catch(({ code }: SluiceError) => {
    isDone = true
    return code
  })
  body.write('a')
  await turn()
  stop()
  await turn()
  expect(isDone).toBe(false)
  release()
  expect(await done).toBe('closed')
})
