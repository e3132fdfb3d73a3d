import { createMemoryLog } from '@sluice/log'
import type { SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { createFaultyLog } from '../../testing/faulty-log.ts'
import { callerWith, openTestKernel } from '../../testing/open-test-kernel.ts'
import { published, toBatch } from '../../testing/sample-lines.ts'
import { until } from '../../testing/until.ts'
import { createPublisher } from './publishing.ts'

const id = 'sess_batches'

function notice(batch: number, line: number): SluiceEvent {
  return { kind: 'notice', level: 'info', text: `${batch} ${line}` }
}

// Batches of more than 256 events take several turns of the event loop.
test.each([
  ['long, short', [300, 1]],
  ['long, long, short', [600, 300, 1]],
  ['short between long ones', [1, 600, 1, 2, 300, 1, 1]],
])('batches are stored in order, and the cursor is the last entry: %s', async (_, sizes) => {
  const log = createFaultyLog(createMemoryLog())
  const { kernel, events, close } = await openTestKernel({ log })
  const publisher = createPublisher(kernel, {
    session: await kernel.directory.open(id),
    caller: callerWith('ada', 'publish'),
    dialect: kernel.dialect('sluice'),
    claim: undefined,
    trace: undefined,
    info: {},
    atomic: false,
  })
  const all = sizes.map((size, batch) => Array.from({ length: size }, (_, line) => notice(batch, line)))
  const release = log.hold()
  const publishing = all.map((batch) => publisher.publish(toBatch(...batch.map((event) => published(event)))))
  await until(() => log.appends.length === sizes.length)
  // All become durable together.
  release()
  await Promise.all(publishing)
  const stored = (await events(id)).filter(({ kind }) => kind === 'notice')
  expect(stored).toMatchObject(all.flat())
  const { accepted, cursor } = publisher.tally
  expect([accepted, cursor]).toEqual([all.flat().length, String(all.flat().length - 1)])
  await close()
})
