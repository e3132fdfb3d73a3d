import { randomBytes } from 'node:crypto'
import { type Clock, isJsonObject, type JsonObject } from '@sluice/protocol'
import { isAction, isQuestion, isRelease } from '../exchange.ts'
import { pause } from '../pause.ts'
import { haveEnded, textOf, typeOf } from '../story.ts'
import type { Item } from '../transcript.ts'
import type { Subscription } from './subscription.ts'
import type { SuiteTimes } from './suite-times.ts'

export interface Answering {
  readonly purpose: 'accept' | 'reject' | 'timeout'
  readonly clock: Clock
  readonly times: SuiteTimes
  /** Called while the first question is open. */
  whileOpen?(): Promise<void>
}

/** Answers the questions of a run until its sessions have ended or `times.runMs` is over. */
export async function answerQuestions(subscription: Subscription, answering: Answering): Promise<void> {
  const { clock, times } = answering
  const { recorder } = subscription
  const deadline = clock.monotonic() + times.runMs
  const done = new Set<string>()
  const next = (items: readonly Item[]): JsonObject | undefined =>
    questionsIn(items).find((event) => !done.has(textOf(event, 'reply_token')))
  for (;;) {
    const leftMs = deadline - clock.monotonic()
    await recorder.until((items) => next(items) !== undefined || haveEnded({ items }), leftMs)
    const question = next(recorder.items)
    if (question === undefined || clock.monotonic() >= deadline) return
    done.add(textOf(question, 'reply_token'))
    await pause(clock, times.settleMs)
    if (done.size === 1) await answering.whileOpen?.()
    if (typeOf(question) === 'aaep:agent.awaiting.confirmation')
      await confirm(subscription, question, answering)
    else await clarify(subscription, question, answering)
  }
}

function questionsIn(items: readonly Item[]): readonly JsonObject[] {
  return items.flatMap((item) => (item.kind === 'event' && isQuestion(item.event) ? [item.event] : []))
}

async function confirm(
  subscription: Subscription,
  question: JsonObject,
  { purpose, clock, times }: Answering,
): Promise<void> {
  const token = textOf(question, 'reply_token')
  const reply = (decision: string, of = token): JsonObject => ({
    type: 'confirmation.reply',
    ...replyFields(subscription, clock, of),
    decision,
  })
  const follows = (holds: typeof isAction, ms: number): Promise<boolean> => {
    const start = subscription.recorder.items.length
    return subscription.recorder.until(
      (items) => items.slice(start).some((item) => item.kind === 'event' && holds(item)),
      ms,
    )
  }
  const timeoutMs = Number(question['timeout_seconds']) * 1000
  if (purpose === 'timeout' && timeoutMs <= times.maxTimeoutMs) {
    if (!subscription.recorder.items.some((item) => item.kind === 'event' && isAfter(item, question)))
      await follows(isRelease, timeoutMs + times.toleranceMs)
    await pause(clock, times.settleMs)
    await subscription.send('late', reply('accept'), token)
    return
  }
  await subscription.send('forged', reply('accept', `rpl_${randomBytes(16).toString('hex')}`), token)
  await pause(clock, times.settleMs)
  if (purpose !== 'reject') {
    await subscription.send('accept', reply('accept'), token)
    return
  }
  const following = follows(isAction, times.toleranceMs)
  await subscription.send('reject', reply('reject'), token)
  await following
  await pause(clock, times.settleMs)
  await subscription.send('replayed', reply('accept'), token)
}

/** Whether the event already released the question before the suite started to wait for that. */
function isAfter(item: Extract<Item, { kind: 'event' }>, question: JsonObject): boolean {
  return (
    isRelease(item) &&
    item.event['session_id'] === question['session_id'] &&
    Date.parse(textOf(item.event, 'timestamp')) > Date.parse(textOf(question, 'timestamp'))
  )
}

async function clarify(
  subscription: Subscription,
  question: JsonObject,
  { clock, times }: Answering,
): Promise<void> {
  const token = textOf(question, 'reply_token')
  const reply = (response: string | number | boolean): JsonObject => ({
    type: 'clarification.reply',
    ...replyFields(subscription, clock, token),
    response,
  })
  const [good, bad] = responsesTo(question)
  if (bad !== undefined) {
    await subscription.send('ill-typed', reply(bad), token)
    await pause(clock, times.settleMs)
  }
  await subscription.send('answer', reply(good), token)
}

type Response = string | number | boolean

/** A valid response to the question, and an invalid one if the question rules any out. */
function responsesTo(question: JsonObject): readonly [good: Response, bad?: Response] {
  const listed = question['accepted_response_kinds']
  const kinds = Array.isArray(listed) && listed.length > 0 ? listed : ['freetext']
  const choices = question['choices']
  const [choice] = Array.isArray(choices) ? choices.filter(isJsonObject) : []
  if (kinds.includes('multiple_choice') && choice !== undefined)
    return [textOf(choice, 'value'), ...unlisted(kinds)]
  if (kinds.includes('numeric')) return [1, ...unlisted(kinds)]
  if (kinds.includes('yes_no')) return [true, ...unlisted(kinds)]
  return ['Yes.', 1]
}

function unlisted(kinds: readonly unknown[]): readonly [Response] | readonly [] {
  if (!kinds.includes('numeric')) return [1]
  return kinds.includes('yes_no') ? [] : [true]
}

function replyFields(subscription: Subscription, clock: Clock, token: string): JsonObject {
  const id = textOf(subscription.accepted, 'subscription_id')
  return {
    reply_token: token,
    // Required even without a handshake (AAEP §6).
    subscription_id: id === '' ? 'sub_conformance' : id,
    timestamp: new Date(clock.now()).toISOString(),
  }
}
