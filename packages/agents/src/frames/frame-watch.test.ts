import {
  admitMade,
  createIntake,
  createSessionState,
  type Dialect,
  type Outcome,
  type SluiceEvent,
  startCursor,
} from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import { expect, test } from 'vitest'
import { createFrameWatch } from './frame-watch.ts'

/** A session as frames of a dialect. */
function encode(dialect: Dialect, events: readonly SluiceEvent[]): readonly string[] {
  let intake = createIntake(createSessionState({ id: 'sess_1' }))
  let view = dialect.encode.enter(intake.session, startCursor).state
  return events.flatMap((event) => {
    const made = { at: 1, direction: 'event', source: { dialect: 'sluice' } } as const
    const admission = admitMade(intake, [event], made)
    if (!admission.ok) return []
    intake = admission.intake
    const encoded = dialect.encode.step(view, admission.entry)
    view = encoded.state
    return encoded.frames.map(({ data }) => data)
  })
}

const watchOf = (dialect: Dialect) => createFrameWatch(dialect, createDrivenClock())

const cases = dialects.flatMap((dialect) =>
  (['completed', 'failed'] as const).map((outcome): [string, Outcome, Dialect] => [
    dialect.id,
    outcome,
    dialect,
  ]),
)
test.each(cases)('in %s a session that ends as %s is known to have ended so', (_, outcome, dialect) => {
  const watch = watchOf(dialect)
  const frames = encode(dialect, [
    { kind: 'session-start' },
    { kind: 'text-delta', output: 'a', take: 0, position: 0, channel: 'answer', text: 'Hello.' },
    { kind: 'text-end', output: 'a', take: 0 },
    { kind: 'session-end', outcome },
  ])
  expect(frames.map((frame) => watch.take(frame))).toEqual(frames.map(() => 'frame'))
  expect(watch.outcome).toBe(outcome)
  expect(watch.take('{}')).toBe('late')
})

test.each(
  dialects
    .filter(({ supports }) => supports.kinds['question-open'] === 'full')
    .map((d) => [d.id, d] as const),
)('in %s a question is open until it is answered', (_, dialect) => {
  const watch = watchOf(dialect)
  const question = {
    kind: 'question-open',
    question: 'confirmation',
    token: 'rpl_0123456789abcdef0123456789abcdef',
    text: 'Go?',
    timeoutMs: 60_000,
    default: 'reject',
  } as const
  for (const frame of encode(dialect, [{ kind: 'session-start' }, question])) watch.take(frame)
  expect(watch.hasQuestion).toBe(true)
  expect(watch.answered('another')).toBe(false)
  expect(watch.hasQuestion).toBe(true)
  expect(watch.answered(question.token)).toBe(true)
  expect(watch.answered(question.token)).toBe(false)
  expect(watch.hasQuestion).toBe(false)
})

test.each(['not json', '{', '[[', `${'['.repeat(65)}${']'.repeat(65)}`])('%j is no frame', (text) => {
  const watch = watchOf(dialectById('stream-event'))
  expect(watch.take(text)).toBe('malformed')
  expect(watch.outcome).toBeUndefined()
})
