import type { SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { settled } from '../../testing/open-test-subscriptions.ts'
import { openTestTrack } from '../../testing/open-test-track.ts'
import { entriesAt, type Value } from '../../testing/pace-text.ts'
import type { Track } from './track.ts'

const start: SluiceEvent = { kind: 'session-start' }
const at0 = 1_800_000_000_000
const question: SluiceEvent = {
  kind: 'question-open',
  question: 'confirmation',
  token: 'rpl_1',
  text: 'Really?',
  timeoutMs: 60_000,
  default: 'reject',
}

function calls(count: number): readonly SluiceEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'tool-call',
    call: `c${index}`,
    tool: 'search',
  }))
}

/** Everything that leaves without time, however often the log has to be read for it. */
async function drain(track: Track, isReady: boolean): Promise<readonly string[]> {
  const types: string[] = []
  for (let idle = 0; idle < 3; ) {
    const step = track.next(at0, isReady)
    if (step.type === 'emit') {
      types.push((JSON.parse(step.frame.data) as Value).type) // what AAEP encodes has a type
      idle = 0
    } else {
      track.fill()
      await settled()
      idle += 1
    }
  }
  return types
}

test('something critical leaves at once behind a log that is much longer than the window', async () => {
  const { track, session } = await openTestTrack({
    maxItems: 4,
    sliceBytes: 500,
    terms: { maxEventsPerSecond: 1 },
  })
  const entries = entriesAt([start, ...calls(60), question], () => at0)
  track.accept(session.grow(entries.slice(0, -1)), false)
  expect(await drain(track, false)).toEqual([])
  expect(track.hasCritical).toBe(false)
  track.accept(session.grow(entries.slice(-1)), false)
  expect(track.hasCritical).toBe(true)
  const types = await drain(track, false)
  expect(types.length).toBe(62)
  expect(types.at(-1)).toBe('aaep:agent.awaiting.confirmation')
})

test('something critical that is in the log already is found behind a full window', async () => {
  const { track, session } = await openTestTrack({
    maxItems: 4,
    sliceBytes: 500,
    terms: { maxEventsPerSecond: 1 },
  })
  session.grow(entriesAt([start, ...calls(60), question, ...calls(20)], () => at0))
  const types = await drain(track, false)
  expect(types.at(-1)).toBe('aaep:agent.awaiting.confirmation')
  expect(types.length).toBe(62)
})

test('while nothing can be written nothing is kept, and all of it comes later', async () => {
  const { track, session } = await openTestTrack()
  for (const entry of entriesAt([start, ...calls(30)], () => at0)) track.accept(session.grow([entry]), true)
  expect(track.lag).toBe(31)
  expect((await drain(track, true)).length).toBe(31)
  expect(track.lag).toBe(0)
  expect(track.isIdle).toBe(true)
})

test('a session of which nothing is left is told once, and not read again', async () => {
  const { track, session, failures } = await openTestTrack({ maxItems: 4, sliceBytes: 500 })
  session.grow(entriesAt([start, ...calls(60)], () => at0))
  session.vanish()
  track.fill()
  await settled()
  expect(failures).toMatchObject([{ code: 'session_deleted' }])
  track.close()
  expect(session.reads).toBe(1)
})

test('who closes a track hears no more of it', async () => {
  const opened = await openTestTrack()
  opened.session.grow(entriesAt([start], () => at0))
  opened.track.fill()
  opened.track.close()
  await settled()
  expect(opened.mores).toBe(0)
})

test('a track is done behind the end, not before', async () => {
  const { track, session } = await openTestTrack()
  const entries = entriesAt([start, { kind: 'session-end', outcome: 'completed' }], () => at0)
  track.accept(session.grow(entries.slice(0, 1)), false)
  expect(await drain(track, true)).toEqual(['aaep:agent.session.started'])
  expect([track.isIdle, track.isDone]).toEqual([true, false])
  track.accept(session.grow(entries.slice(1)), false)
  expect(track.isDone).toBe(false)
  expect(await drain(track, true)).toEqual(['aaep:agent.session.completed'])
  expect([track.isIdle, track.isDone]).toEqual([true, true])
})
