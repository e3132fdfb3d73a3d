import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import { pause } from '../wakeful-clock.ts'
import type { Seat } from './seat.ts'
import { createStage } from './stage.ts'
import type { AskedQuestion, SubscriberRecord } from './subscriber-record.ts'

export interface ScriptTimes {
  /** How long the subscriber may take to come, and to come back. */
  readonly arriveMs: number
  /** How long a question is open. */
  readonly questionMs: number
  /** A quiet moment, in which something wrong may show. */
  readonly settleMs: number
}

export interface ScriptParts {
  readonly seat: Seat
  readonly record: SubscriberRecord
  readonly clock: Clock
  readonly times: ScriptTimes
  /** Resolves with true when it holds, with false when the time is over. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean>
  /** Tells the person what to do next. */
  tell(sentence: string): void
}

/** Plays all twelve events, questions, what nobody can know, and a broken connection. */
export async function playScript({ seat, record, clock, times, until, tell }: ScriptParts): Promise<void> {
  if (!(await until(() => seat.isTaken(), times.arriveMs))) return
  const { make, say, state, write } = createStage(seat, clock)
  await say('session.started', { summary_normal: 'Conformance check.' })
  await state('idle', 'thinking')
  await playStrange()
  await say('progress.updated', { progress: { percent: 50 } })
  await say('tool.invoked', { tool: 'search', tool_call_id: 'call_1', summary_normal: 'Searching.' })
  await say('tool.completed', { tool: 'search', tool_call_id: 'call_1', status: 'success' })
  await write('out_1', ['This is the first sentence. ', 'This is the second one.'])

  tell('Accept the next question.')
  const first = await confirm('Please accept this.', 'accept', times.questionMs)
  // The same event once more: who has answered it must not answer again.
  record.repeated = first.token
  seat.deliver(first.event)
  await pause(clock, times.settleMs)
  tell('Reject the next question.')
  await confirm('Please reject this.', 'reject', times.questionMs)
  tell('Choose Blue.')
  await choose()
  tell('Do not answer the next question.')
  await confirm('Please leave this alone.', 'none', 1000)

  if (seat.isTaken()) await breakOnce()
  await say('handoff.requested', {
    reason: 'The check is nearly done.',
    target_kind: 'human',
    urgency: 'critical',
  })
  await say('session.completed', { summary_normal: 'The check is done.' })
  await playOtherEnds()
  await pause(clock, times.settleMs)

  async function playStrange(): Promise<void> {
    const fromMs = clock.now()
    await say('mood.changed', { mood: 'curious' })
    await say('state.changed', { from_state: 'thinking', to_state: 'daydreaming', verbosity: 'poetic' })
    await say('progress.updated', {
      progress: { percent: 10 },
      extensions: { acme: { a: 1 } },
      urgency: 'whenever',
    })
    await say('state.changed', { from_state: 'daydreaming', to_state: 'thinking', color: 'blue' })
    await pause(clock, times.settleMs)
    record.strange = { fromMs, toMs: clock.now() }
  }

  async function ask(event: JsonObject, wanted: AskedQuestion['wanted'], ms: number): Promise<AskedQuestion> {
    const token = textOf(event, 'reply_token')
    const question: AskedQuestion = { token, event, wanted }
    record.questions.push(question)
    seat.deliver(event)
    const isAnswered = (): boolean =>
      record.replies.some(({ message }) => textOf(message, 'reply_token') === token)
    await until(() => wanted !== 'none' && isAnswered(), ms)
    question.overAtMs = clock.now()
    await state('awaiting_input', 'thinking')
    if (wanted === 'none') await pause(clock, times.settleMs)
    return question
  }

  async function confirm(
    action: string,
    wanted: 'accept' | 'reject' | 'none',
    ms: number,
  ): Promise<AskedQuestion> {
    await state('thinking', 'awaiting_input')
    const event = make('awaiting.confirmation', {
      action,
      consequence: 'Nothing happens; this is a check.',
      reply_token: `rpl_${randomBytes(16).toString('hex')}`,
      timeout_seconds: Math.max(1, Math.round(ms / 1000)),
      default_decision: 'reject',
      risk_level: 'low',
      urgency: 'critical',
    })
    return ask(event, wanted, ms)
  }

  async function choose(): Promise<void> {
    await state('thinking', 'awaiting_input')
    const event = make('awaiting.clarification', {
      question: 'Which colour? Please choose Blue.',
      reply_token: `rpl_${randomBytes(16).toString('hex')}`,
      timeout_seconds: Math.max(1, Math.round(times.questionMs / 1000)),
      accepted_response_kinds: ['multiple_choice'],
      choices: [
        { value: 'red', label: 'Red' },
        { value: 'blue', label: 'Blue' },
      ],
      urgency: 'critical',
    })
    await ask(event, 'blue', times.questionMs)
  }

  async function breakOnce(): Promise<void> {
    seat.cut()
    await write('out_2', ['You were away when this was said. ', 'And this.'])
    await until(() => seat.isTaken(), times.arriveMs)
  }

  async function playOtherEnds(): Promise<void> {
    const ends: readonly (readonly [string, JsonObject])[] = [
      ['session.errored', { error_category: 'transient', urgency: 'critical' }],
      ['session.cancelled', { cancelled_by: 'producer' }],
    ]
    for (const [type, fields] of ends) {
      const other = createStage(seat, clock)
      await other.say('session.started', { summary_normal: 'Another check.' })
      await other.say(type, { ...fields, summary_normal: 'It ends otherwise.' })
    }
  }
}
