import type { RunOutput, SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { createPendingBytes } from '../../kernel/sessions/pending-bytes.ts'
import { piece } from '../../testing/scripted-agent.ts'
import { until } from '../../testing/until.ts'
import { storeOutputs } from './store-outputs.ts'

interface Stalled {
  readonly stored: RunOutput[]
  /** How many outputs were read. */
  readonly read: () => number
  readonly finished: Promise<readonly SluiceEvent[]>
  readonly pending: ReturnType<typeof createPendingBytes>
  /** Lets one more output be stored. */
  release(): void
  stop(): void
}

/** A store that accepts nothing until release() is called. */
function stall(outputs: Iterable<RunOutput>, maxBytes = 1 << 30): Stalled {
  const stored: RunOutput[] = []
  const waiting: (() => void)[] = []
  const stopped = new AbortController()
  const pending = createPendingBytes(maxBytes)
  let read = 0
  async function* counted(): AsyncGenerator<RunOutput> {
    for (const output of outputs) {
      read += 1
      yield output
    }
  }
  const finished = storeOutputs(counted(), {
    pending,
    store: async (output) => {
      stored.push(output)
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    onFailure: (error) => {
      throw error
    },
    stopped: stopped.signal,
  })
  return {
    stored,
    read: () => read,
    finished,
    pending,
    release: () => waiting.shift()?.(),
    stop: () => stopped.abort(),
  }
}

/** Lets all outputs be stored. */
async function drain({ finished, release }: Stalled): Promise<readonly SluiceEvent[]> {
  let isDone = false
  void finished.then(() => {
    isDone = true
  })
  await until(() => {
    release()
    return isDone
  })
  return finished
}

const said = (...events: readonly SluiceEvent[]): RunOutput => ({ type: 'events', events })

function* endless(text: string): Generator<RunOutput> {
  for (;;) yield said(piece(text))
}

test.each([
  ['by their number', 'x', 64],
  ['by their size', 'x'.repeat(300_000), 4],
])('a store that is slow holds back the agent: %s', async (_, text, most) => {
  const stalled = stall(endless(text))
  await until(() => stalled.read() === most)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(stalled.read()).toBe(most)
  stalled.release()
  await until(() => stalled.read() === most + 1)
  stalled.stop()
  await drain(stalled)
  expect(stalled.pending.bytes).toBe(0)
})

test('what all of them together may have on their way holds back too, until there is room or the run stops', async () => {
  const stalled = stall(endless('x'.repeat(10)), 25)
  await until(() => stalled.read() === 3)
  expect(stalled.stored).toHaveLength(2)
  stalled.stop()
  stalled.release()
  stalled.release()
  await stalled.finished
  expect(stalled.stored).toHaveLength(2)
})

test('the end of the last text is held back, and only that', async () => {
  const end: SluiceEvent = { kind: 'text-end', output: 'out', take: 0 }
  const usage: SluiceEvent = { kind: 'usage', outputTokens: 1 }
  const stalled = stall([
    said(piece('a')),
    said(end),
    said(usage),
    said(piece('b')),
    said(end, usage),
    said(usage),
  ])
  expect(await drain(stalled)).toEqual([end, usage, usage])
  expect(stalled.stored).toEqual([said(piece('a')), said(end, usage), said(piece('b'))])
})

test('what is held back has a bound', async () => {
  const usage: SluiceEvent = { kind: 'usage', outputTokens: 1 }
  const stalled = stall(Array.from({ length: 200 }, () => said(usage)))
  const held = await drain(stalled)
  expect(held.length).toBeLessThanOrEqual(64)
  const count = stalled.stored.flatMap((output) => (output.type === 'events' ? output.events : [])).length
  expect(count + held.length).toBe(200)
})
