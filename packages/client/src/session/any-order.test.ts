import {
  admit,
  admitMade,
  createIntake,
  createSessionState,
  parseFrame,
  type QuestionClose,
  type Risk,
  SluiceError,
  settle,
  startCursor,
} from '@sluice/protocol'
import { createConverter, dialectById } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { runs } from '../testing/runs.ts'
import { type SessionPeer, startSessionPeer } from '../testing/session-peer.ts'
import type { AgentSession } from './agent-session.ts'
import type { ToolHandle } from './tools.ts'

type Reply = Omit<QuestionClose, 'kind' | 'token'>

interface Stage {
  readonly session: AgentSession
  readonly handles: ToolHandle[]
  /** How each question in turn is answered; left open where undefined. */
  readonly replies: (Reply | undefined)[]
}

/** One call, with arguments that may be wrong. */
type Move = (stage: Stage) => unknown

const optional: { requiredKeys: [] } = { requiredKeys: [] }
const text = fc.oneof(
  fc.constantFrom('', 'One. ', 'Two', '\ud83d', '\ude00 ok'),
  fc.string({ maxLength: 20 }),
)
const output = fc.constantFrom('main', 'main', 'notes', 'out_a')
const risk = fc.constantFrom<Risk>('low', 'medium', 'high')
const reply = fc.constantFrom<Reply | undefined>(
  undefined,
  { how: 'answered', decision: 'accept', by: 'ada' },
  { how: 'answered', decision: 'accept' },
  { how: 'answered', decision: 'reject' },
  { how: 'timeout', decision: 'reject' },
  { how: 'timeout', decision: 'accept' },
)
const state = fc.constantFrom('thinking', 'deciding', '', 'x'.repeat(70))
const progress = fc.record(
  { percent: fc.constantFrom(0, 50, 101), step: fc.constantFrom(1, 0, 9), total: fc.constant(3), text },
  optional,
)
const textOptions = fc.record({ output, channel: fc.constantFrom('answer', 'answer', 'reasoning') }, optional)
const toolOptions = fc.record(
  {
    id: fc.constantFrom('call_1', 'toolu/2', 'call_3'),
    risk,
    irreversible: fc.boolean(),
    args: fc.jsonValue(),
  },
  optional,
)
const confirmOptions = fc.record(
  {
    action: fc.constantFrom('Delete it', 'Send it', ''),
    consequence: fc.constant('It is gone.'),
    risk,
    irreversible: fc.boolean(),
    default: fc.constantFrom('accept', 'reject'),
    timeoutMs: fc.constantFrom(1_500, 0),
  },
  { requiredKeys: ['action', 'consequence'] },
)
const choices = fc.constantFrom(['a', 'b'], ['a', 'a'], ['a'])

/** Awaits a question that gets an answer; any other stays open. */
function ask(stage: Stage, given: Reply | undefined, open: () => Promise<unknown>): unknown {
  const closed = open()
  stage.replies.push(given)
  return given === undefined ? undefined : closed
}

const move: fc.Arbitrary<Move> = fc.oneof(
  state.map(
    (to): Move =>
      ({ session }) =>
        void session.state(to),
  ),
  progress.map(
    (given): Move =>
      ({ session }) =>
        void session.progress(given),
  ),
  fc.tuple(text, textOptions).map(
    ([chunk, given]): Move =>
      ({ session }) =>
        void session.text(chunk, given),
  ),
  output.map(
    (id): Move =>
      ({ session }) =>
        void session.endText({ output: id }),
  ),
  toolOptions.map(
    (given): Move =>
      ({ session, handles }) =>
        handles.push(session.tool('look/up', given)),
  ),
  fc.tuple(fc.nat(3), fc.constantFrom('done', 'fail', 'timeout')).map(
    ([which, how]): Move =>
      ({ handles }) =>
        void handles[which]?.[how]('why'),
  ),
  fc.tuple(confirmOptions, reply).map(
    ([given, said]): Move =>
      (stage) =>
        ask(stage, said, () => stage.session.confirm(given)),
  ),
  fc.tuple(fc.option(choices, { nil: [] }), reply).map(
    ([values, said]): Move =>
      (stage) => {
        const offered = values.map((value) => ({ value, label: value }))
        const question = { question: 'Which?', ...(offered.length === 0 ? {} : { choices: offered }) }
        return ask(stage, said && { how: said.how, response: 'a' }, () => stage.session.ask(question))
      },
  ),
  fc.constantFrom('Too hard.', '').map(
    (reason): Move =>
      ({ session }) =>
        void session.handoff({ reason, target: 'human' }),
  ),
)
const ending = fc.constantFrom<Move>(
  ({ session }) => session.complete('All done.'),
  ({ session }) => session.fail('It broke.'),
  ({ session }) => session.cancel(),
)

/** Does the move. A misuse throws before anything is sent, with one of these codes. */
async function attempt(run: Move, stage: Stage): Promise<void> {
  try {
    await run(stage)
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    expect(['events_refused', 'bad_request', 'session_ended']).toContain(error.code)
  }
}

/**
 * What `sluice validate` finds in the session when it is written in AAEP, and what settling changes in it.
 */
function judge({ log }: SessionPeer) {
  const [sluice, aaep] = [dialectById('sluice'), dialectById('aaep')]
  const check = createConverter({ from: aaep })
  let intake = createIntake(createSessionState({ id: 'sess_peer' }))
  let view = aaep.encode.enter(intake.session, startCursor).state
  const findings: unknown[] = []
  for (const { direction, events } of log) {
    expect(settle(intake.session, events).events).toEqual(events)
    const parsed = parseFrame(JSON.stringify({ events }))
    if (!parsed.ok) throw new Error('not JSON')
    const admitted =
      direction === 'event'
        ? admit(intake, parsed.frame, { dialect: sluice, at: 0 })
        : admitMade(intake, events, { direction, at: 0, source: { dialect: sluice.id } })
    if (!admitted.ok) throw new Error(admitted.finding.code)
    findings.push(...admitted.findings)
    intake = admitted.intake
    const encoded = aaep.encode.step(view, admitted.entry)
    view = encoded.state
    for (const { data } of encoded.frames) findings.push(...check.push(data).findings)
  }
  findings.push(...check.end().flatMap((converted) => converted.findings))
  return { findings, end: intake.session.end?.outcome }
}

test('any calls make a session that validates, or throw', async () => {
  const ends = new Set<string | undefined>()
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 40 }), ending, async (moves, end) => {
      const replies: (Reply | undefined)[] = []
      const peer = await startSessionPeer({ answer: () => replies.shift() })
      try {
        const session = await createClient({ url: peer.url }).createSession({ agent: 'tester' })
        const stage: Stage = { session, handles: [], replies }
        for (const each of moves) await attempt(each, stage)
        await attempt(end, stage)
        if (judge(peer).end === undefined) await session.fail('The last call was refused.')
        const { findings, end: outcome } = judge(peer)
        ends.add(outcome)
        expect(findings).toEqual([])
        // Except for half a character at the end of a text, which settling replaces.
        const implied = peer.published().filter(({ meta }) => meta?.implied === true)
        expect(implied.filter(({ kind }) => kind !== 'text-delta')).toEqual([])
      } finally {
        await peer.close()
      }
    }),
    { numRuns: runs(60) },
  )
  expect([...ends].sort()).toEqual(['cancelled', 'completed', 'failed'])
})
