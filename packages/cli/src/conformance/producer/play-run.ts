import type { Clock } from '@sluice/protocol'
import { eventsOf, haveEnded, textOf } from '../story.ts'
import type { Role, Run } from '../transcript.ts'
import { pause } from '../wakeful-clock.ts'
import { answerQuestions } from './answer-questions.ts'
import { type Link, type ProducerPeer, toReading } from './link.ts'
import { narrowed, requestFor } from './requests.ts'
import { closing } from './sse-peer.ts'
import type { SuiteTimes } from './suite-times.ts'
import type { Trigger } from './trigger.ts'

export interface RunParts {
  readonly peer: ProducerPeer
  readonly trigger: Trigger
  readonly clock: Clock
  readonly times: SuiteTimes
  readonly slowRate: number
  /** Grows by the sessions of this run, and by those that were under way before it. */
  readonly foreign: Set<string>
}

const roles: Readonly<Record<Run['purpose'], readonly Role[]>> = {
  accept: ['main', 'twin', 'slow', 'filtered', 'cut'],
  reject: ['main', 'changing', 'closing'],
  timeout: ['main'],
}

/** Subscribes in every role of the run, triggers a session, and plays it to its end. */
export async function playRun(purpose: Run['purpose'], parts: RunParts): Promise<Run> {
  const { peer, trigger, clock, times, slowRate, foreign } = parts
  const wanted = roles[purpose].filter((role) => peer.hasHandshake || ['main', 'twin'].includes(role))
  const opened = await Promise.all(wanted.map((role) => peer.open(role, requestFor(role, slowRate))))
  const links = opened.filter((link) => link !== undefined)
  if (!links.some(({ role }) => role === 'main')) {
    await Promise.all(links.map((link) => link.release()))
    return { purpose, readings: [], failure: 'The producer refused the subscription.' }
  }
  try {
    // What is under way before the trigger is none of ours.
    await pause(clock, times.settleMs)
    ignoreSessions(links, foreign)
    const playing = play(purpose, links, parts)
    await Promise.race([playing, failureOf(trigger.pull())]).catch(async (error: unknown) => {
      for (const { recorder } of links) recorder.abandon()
      await playing
      throw error
    })
    const readings = links.map((link) => toReading(purpose, link))
    ignoreSessions(links, foreign)
    return { purpose, readings }
  } finally {
    trigger.stop()
    await Promise.all(links.map((link) => link.release()))
  }
}

/** Rejects when the trigger fails, and never resolves: some triggers are done before their session, some after it. */
async function failureOf(pulling: Promise<void>): Promise<never> {
  await pulling
  return new Promise(() => {})
}

function ignoreSessions(links: readonly Link[], foreign: Set<string>): void {
  for (const link of links)
    for (const { event } of eventsOf(toReading('', link))) foreign.add(textOf(event, 'session_id'))
  for (const link of links) link.recorder.forget(foreign)
}

async function play(purpose: Run['purpose'], links: Link[], parts: RunParts): Promise<void> {
  const { clock, times } = parts
  const main = links.find(({ role }) => role === 'main')
  if (main === undefined) return
  const cut = links.find(({ role }) => role === 'cut')
  const whileOpen = purpose === 'reject' ? () => changeTerms(links, parts) : undefined
  const cutting = cut === undefined ? undefined : cutOnce(cut, main, times)
  await answerQuestions(main, { purpose, clock, times, ...(whileOpen && { whileOpen }) })
  await cutting
  const others = links.filter(({ role }) => ['twin', 'slow', 'filtered', 'cut'].includes(role))
  // A session that hangs for one hangs for all.
  const leftMs = haveEnded(main.recorder) ? times.runMs : 0
  await Promise.all(others.map(({ recorder }) => recorder.until(() => haveEnded(recorder), leftMs)))
  await pause(clock, times.settleMs)
}

/** Breaks the connection early in the session, and comes back when something was missed. */
async function cutOnce(cut: Link, main: Link, { runMs }: SuiteTimes): Promise<void> {
  const count = (link: Link): number => eventsOf(toReading('', link)).length
  if (!(await cut.recorder.until(() => count(cut) >= 3, runMs))) return
  cut.cut()
  const last = eventsOf(toReading('', cut)).at(-1)
  const seen = count(main)
  await main.recorder.until((items) => count(main) >= seen + 3 || haveEnded({ items }), runMs)
  if (last !== undefined) await cut.resume(textOf(last.event, 'event_id'))
}

/** Renegotiates one subscription, closes another, and opens one behind an unknown event. */
async function changeTerms(links: Link[], { peer, slowRate, clock, times }: RunParts): Promise<void> {
  const changing = links.find(({ role }) => role === 'changing')
  const subscription = textOf(changing?.accepted, 'subscription_id')
  await changing?.send('renegotiate', {
    type: 'subscription.renegotiate',
    subscription_id: subscription,
    capabilities: narrowed,
  })
  const ending = links.find(({ role }) => role === 'closing')
  if (ending?.accepted !== undefined) await ending.send('close', closing(ending.accepted))
  const lost = peer.hasHandshake ? await peer.open('lost', requestFor('lost', slowRate)) : undefined
  if (lost !== undefined) links.push(lost)
  await pause(clock, times.settleMs)
}
