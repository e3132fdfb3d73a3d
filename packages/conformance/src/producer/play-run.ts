import type { Clock } from '@sluice/protocol'
import { pause } from '../pause.ts'
import { eventsOf, haveEnded, textOf } from '../story.ts'
import type { Role, Run } from '../transcript.ts'
import { answerQuestions } from './answer-questions.ts'
import { closing, narrowed, requestFor } from './requests.ts'
import { type ProducerTransport, type Subscription, toReading } from './subscription.ts'
import type { SuiteTimes } from './suite-times.ts'
import type { Trigger } from './trigger.ts'

export interface RunParts {
  readonly producer: ProducerTransport
  readonly trigger: Trigger
  readonly clock: Clock
  readonly times: SuiteTimes
  readonly slowRate: number
  /** Sessions to ignore. Each run adds its own sessions and those that ran before its trigger. */
  readonly foreign: Set<string>
}

const roles: Readonly<Record<Run['purpose'], readonly Role[]>> = {
  accept: ['main', 'twin', 'slow', 'filtered', 'cut'],
  reject: ['main', 'changing', 'closing'],
  timeout: ['main'],
}

/** Subscribes in every role of the run, triggers a session, and plays it to its end. */
export async function playRun(purpose: Run['purpose'], parts: RunParts): Promise<Run> {
  const { producer, trigger, clock, times, slowRate, foreign } = parts
  const wanted = roles[purpose].filter((role) => producer.hasHandshake || ['main', 'twin'].includes(role))
  const opened = await Promise.all(wanted.map((role) => producer.open(role, requestFor(role, slowRate))))
  const subscriptions = opened.filter((subscription) => subscription !== undefined)
  if (!subscriptions.some(({ role }) => role === 'main')) {
    await Promise.all(subscriptions.map((subscription) => subscription.release()))
    return { purpose, readings: [], failure: 'The producer refused the subscription.' }
  }
  try {
    // The suite did not start sessions that run before the trigger.
    await pause(clock, times.settleMs)
    ignoreSessions(subscriptions, foreign)
    const playing = play(purpose, subscriptions, parts)
    await Promise.race([playing, failureOf(trigger.pull())]).catch(async (error: unknown) => {
      for (const { recorder } of subscriptions) recorder.abandon()
      await playing
      throw error
    })
    const readings = subscriptions.map((subscription) => toReading(purpose, subscription))
    ignoreSessions(subscriptions, foreign)
    return { purpose, readings }
  } finally {
    trigger.stop()
    await Promise.all(subscriptions.map((subscription) => subscription.release()))
  }
}

/** Rejects when the trigger fails, and never resolves: a trigger may finish before or after its session. */
async function failureOf(pulling: Promise<void>): Promise<never> {
  await pulling
  return new Promise(() => {})
}

function ignoreSessions(subscriptions: readonly Subscription[], foreign: Set<string>): void {
  for (const subscription of subscriptions)
    for (const { event } of eventsOf(toReading('', subscription))) foreign.add(textOf(event, 'session_id'))
  for (const subscription of subscriptions) subscription.recorder.forget(foreign)
}

async function play(purpose: Run['purpose'], subscriptions: Subscription[], parts: RunParts): Promise<void> {
  const { clock, times } = parts
  const main = subscriptions.find(({ role }) => role === 'main')
  if (main === undefined) return
  const cut = subscriptions.find(({ role }) => role === 'cut')
  const whileOpen = purpose === 'reject' ? () => changeTerms(subscriptions, parts) : undefined
  const cutting = cut === undefined ? undefined : cutOnce(cut, main, times)
  await answerQuestions(main, { purpose, clock, times, ...(whileOpen && { whileOpen }) })
  await cutting
  const others = subscriptions.filter(({ role }) => ['twin', 'slow', 'filtered', 'cut'].includes(role))
  // A session that hangs for one hangs for all.
  const leftMs = haveEnded(main.recorder) ? times.runMs : 0
  await Promise.all(others.map(({ recorder }) => recorder.until(() => haveEnded(recorder), leftMs)))
  await pause(clock, times.settleMs)
}

/** Breaks the connection early in the session, and resumes after it missed some events. */
async function cutOnce(cut: Subscription, main: Subscription, { runMs }: SuiteTimes): Promise<void> {
  const count = (subscription: Subscription): number => eventsOf(toReading('', subscription)).length
  if (!(await cut.recorder.until(() => count(cut) >= 3, runMs))) return
  cut.cut()
  const last = eventsOf(toReading('', cut)).at(-1)
  const seen = count(main)
  await main.recorder.until((items) => count(main) >= seen + 3 || haveEnded({ items }), runMs)
  if (last !== undefined) await cut.resume(textOf(last.event, 'event_id'))
}

/** Renegotiates one subscription, closes another, and opens one that resumes after an unknown event. */
async function changeTerms(
  subscriptions: Subscription[],
  { producer, slowRate, clock, times }: RunParts,
): Promise<void> {
  const changing = subscriptions.find(({ role }) => role === 'changing')
  const id = textOf(changing?.accepted, 'subscription_id')
  await changing?.send('renegotiate', {
    type: 'subscription.renegotiate',
    subscription_id: id,
    capabilities: narrowed,
  })
  const ending = subscriptions.find(({ role }) => role === 'closing')
  if (ending?.accepted !== undefined) await ending.send('close', closing(ending.accepted))
  const lost = producer.hasHandshake ? await producer.open('lost', requestFor('lost', slowRate)) : undefined
  if (lost !== undefined) subscriptions.push(lost)
  await pause(clock, times.settleMs)
}
