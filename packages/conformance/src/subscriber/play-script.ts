import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { pause } from '../pause.ts'
import { textOf } from '../story.ts'
import type { EventFeed } from './event-feed.ts'
import { createScriptedSession } from './scripted-session.ts'
import type { AskedQuestion, SubscriberRecord } from './subscriber-record.ts'

export interface ScriptTimes {
  /** How long the subscriber may take to connect, and to reconnect. */
  readonly arriveMs: number
  /** How long a question stays open. */
  readonly questionMs: number
  /** A pause in which a wrong message may still arrive. */
  readonly settleMs: number
}

export interface ScriptParts {
  readonly feed: EventFeed
  readonly record: SubscriberRecord
  readonly clock: Clock
  readonly times: ScriptTimes
  /** Resolves with true as soon as `holds` returns true, or with false after `timeoutMs`. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean>
  /** Gives the person the next instruction. */
  tell(sentence: string): void
}

/** Plays all twelve events, questions, unknown types, fields and values, and a broken connection. */
export async function playScript({ feed, record, clock, times, until, tell }: ScriptParts): Promise<void> {
  if (!(await until(() => feed.isConnected(), times.arriveMs))) return
  const { make, send, state, write } = createScriptedSession(feed, clock)
  await send('session.started', { summary_normal: 'Conformance check.' })
  await state('idle', 'thinking')
  await playStrange()
  await send('progress.updated', { progress: { percent: 50 } })
  await send('tool.invoked', { tool: 'search', tool_call_id: 'call_1', summary_normal: 'Searching.' })
  await send('tool.completed', { tool: 'search', tool_call_id: 'call_1', status: 'success' })
  await write('out_1', ['This is the first sentence. ', 'This is the second one.'])

  tell('Accept the next question.')
  const first = await confirm('Please accept this.', 'accept', times.questionMs)
  // The same event once more: the subscriber must not answer it again.
  record.repeated = first.token
  feed.deliver(first.event)
  await pause(clock, times.settleMs)
  tell('Reject the next question.')
  await confirm('Please reject this.', 'reject', times.questionMs)
  tell('Choose Blue.')
  await choose()
  tell('Do not answer the next question.')
  await confirm('Please leave this alone.', 'none', 1000)

  if (feed.isConnected()) await breakOnce()
  await send('handoff.requested', {
    reason: 'The check is nearly done.',
    target_kind: 'human',
    urgency: 'critical',
  })
  await send('session.completed', { summary_normal: 'The check is done.' })
  await playOtherEnds()
  await pause(clock, times.settleMs)

  async function playStrange(): Promise<void> {
    const fromMs = clock.monotonic()
    await send('mood.changed', { mood: 'curious' })
    await send('state.changed', { from_state: 'thinking', to_state: 'daydreaming', verbosity: 'poetic' })
    await send('progress.updated', {
      progress: { percent: 10 },
      extensions: { acme: { a: 1 } },
      urgency: 'whenever',
    })
    await send('state.changed', { from_state: 'daydreaming', to_state: 'thinking', color: 'blue' })
    await pause(clock, times.settleMs)
    record.strange = { fromMs, toMs: clock.monotonic() }
  }

  async function ask(event: JsonObject, wanted: AskedQuestion['wanted'], ms: number): Promise<AskedQuestion> {
    const token = textOf(event, 'reply_token')
    const question: AskedQuestion = { token, event, wanted }
    record.questions.push(question)
    feed.deliver(event)
    const isAnswered = (): boolean =>
      record.replies.some(({ message }) => textOf(message, 'reply_token') === token)
    await until(() => wanted !== 'none' && isAnswered(), ms)
    question.overAtMs = clock.monotonic()
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
    feed.cut()
    await write('out_2', ['You were away when this was said. ', 'And this.'])
    await until(() => feed.isConnected(), times.arriveMs)
  }

  async function playOtherEnds(): Promise<void> {
    const ends: readonly (readonly [string, JsonObject])[] = [
      ['session.errored', { error_category: 'transient', urgency: 'critical' }],
      ['session.cancelled', { cancelled_by: 'producer' }],
    ]
    for (const [type, fields] of ends) {
      const other = createScriptedSession(feed, clock)
      await other.send('session.started', { summary_normal: 'Another check.' })
      await other.send(type, { ...fields, summary_normal: 'It ends otherwise.' })
    }
  }
}
