import type { SluiceEvent } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { openPacedSession } from '../../testing/open-paced-session.ts'
import { settled } from '../../testing/open-test-subscriptions.ts'
import { entriesAt, type Value } from '../../testing/pace-text.ts'
import type { PacedSession } from './paced-session.ts'
import { hasCritical } from './pacing/pacer.ts'

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

/** Everything that can be sent without waiting, however often that requires reading the log. */
async function drain(
  paced: PacedSession,
  { isReady }: { readonly isReady: boolean },
): Promise<readonly string[]> {
  const types: string[] = []
  for (let idle = 0; idle < 3; ) {
    const step = paced.step({ now: at0, isReady })
    if (step.type === 'emit') {
      types.push((JSON.parse(step.frame.data) as Value).type) // what AAEP encodes has a type
      idle = 0
    } else {
      paced.fill()
      await settled()
      idle += 1
    }
  }
  return types
}

test('something critical leaves at once behind a log that is much longer than the window', async () => {
  const { paced, session } = await openPacedSession({
    maxItems: 4,
    sliceBytes: 500,
    terms: { maxEventsPerSecond: 1 },
  })
  const entries = entriesAt([start, ...calls(60), question], () => at0)
  paced.accept(session.grow(entries.slice(0, -1)))
  expect(await drain(paced, { isReady: false })).toEqual([])
  expect(hasCritical(paced.pacer)).toBe(false)
  paced.accept(session.grow(entries.slice(-1)))
  expect(hasCritical(paced.pacer)).toBe(true)
  const types = await drain(paced, { isReady: false })
  expect(types.length).toBe(62)
  expect(types.at(-1)).toBe('aaep:agent.awaiting.confirmation')
})

test('something critical that is in the log already is found behind a full window', async () => {
  const { paced, session } = await openPacedSession({
    maxItems: 4,
    sliceBytes: 500,
    terms: { maxEventsPerSecond: 1 },
  })
  session.grow(entriesAt([start, ...calls(60), question, ...calls(20)], () => at0))
  const types = await drain(paced, { isReady: false })
  expect(types.at(-1)).toBe('aaep:agent.awaiting.confirmation')
  expect(types.length).toBe(62)
})

test('while nothing can be written nothing is kept, and all of it comes later', async () => {
  const { paced, session } = await openPacedSession()
  for (const entry of entriesAt([start, ...calls(30)], () => at0)) paced.scan(session.grow([entry]))
  expect(paced.lag).toBe(31)
  expect((await drain(paced, { isReady: true })).length).toBe(31)
  expect(paced.lag).toBe(0)
  expect(paced.isIdle).toBe(true)
})

test('a session of which nothing is left is told once, and not read again', async () => {
  const { paced, session, failures } = await openPacedSession({ maxItems: 4, sliceBytes: 500 })
  session.grow(entriesAt([start, ...calls(60)], () => at0))
  session.vanish()
  paced.fill()
  await settled()
  expect(failures).toMatchObject([{ code: 'session_deleted' }])
  paced.close()
  expect(session.reads).toBe(1)
})

test('nothing is reported after close', async () => {
  const opened = await openPacedSession()
  opened.session.grow(entriesAt([start], () => at0))
  opened.paced.fill()
  opened.paced.close()
  await settled()
  expect(opened.mores).toBe(0)
})

test('a session is done after its end, not before', async () => {
  const { paced, session } = await openPacedSession()
  const entries = entriesAt([start, { kind: 'session-end', outcome: 'completed' }], () => at0)
  paced.accept(session.grow(entries.slice(0, 1)))
  expect(await drain(paced, { isReady: true })).toEqual(['aaep:agent.session.started'])
  expect([paced.isIdle, paced.isDone]).toEqual([true, false])
  paced.accept(session.grow(entries.slice(1)))
  expect(paced.isDone).toBe(false)
  expect(await drain(paced, { isReady: true })).toEqual(['aaep:agent.session.completed'])
  expect([paced.isIdle, paced.isDone]).toEqual([true, true])
})
