import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject, Timer } from '@sluice/protocol'
import { admits } from '../honored.ts'
import { isCritical, objectOf, textOf, typeOf } from '../story.ts'
import type { Behaviour } from './behaviour.ts'

/** One subscription of the test producer. */
export interface TestSubscription {
  readonly id: string
  terms: JsonObject
  /** Where its events go while it is connected. */
  out: ((event: JsonObject) => void) | undefined
  isClosed: boolean
  receive(event: JsonObject): void
  /** Sends everything after this event, or the state if the event is unknown. */
  resume(after: string, latest: JsonObject | undefined): void
}

const criticalOf = (behaviour: Behaviour, event: JsonObject): boolean =>
  isCritical(event) && !behaviour.filtersCriticals

export function createTestSubscription(
  terms: JsonObject,
  behaviour: Behaviour,
  clock: Clock,
): TestSubscription {
  const sent: JsonObject[] = []
  let queue: JsonObject[] = []
  let tokens = Number.POSITIVE_INFINITY
  let filledAt = clock.monotonic()
  let timer: Timer | undefined
  let blockedUntil = 0

  const write = (event: JsonObject): void => {
    for (const part of behaviour.claimsCompletion && rate() < 100_000 ? inHalves(event) : [event]) {
      sent.push(part)
      subscription.out?.(part)
    }
  }
  const rate = (): number => Number(subscription.terms['max_events_per_second'] ?? Number.POSITIVE_INFINITY)
  const drain = (): void => {
    const now = clock.monotonic()
    tokens = Math.min(Math.max(1, rate() / 2), tokens + ((now - filledAt) * rate()) / 1000)
    filledAt = now
    while (queue.length > 0 && tokens >= 1 && now >= blockedUntil) {
      tokens -= 1
      const next = queue.shift()
      if (next !== undefined) write(next)
    }
    timer?.clear()
    if (queue.length > 0) timer = clock.after(1000 / rate(), drain)
  }
  const flush = (): void => {
    for (const held of queue) write(held)
    queue = []
  }
  const subscription: TestSubscription = {
    id: `sub_${randomBytes(8).toString('hex')}`,
    terms,
    out: undefined,
    isClosed: false,
    receive(event) {
      if (subscription.isClosed && !behaviour.ignoresClose) return
      const filters = objectOf(subscription.terms, 'event_filters')
      const isIgnored = behaviour.ignoresFilters && subscription.terms === terms
      const isFiltered = filters !== undefined && !isIgnored && !admits(filters, typeOf(event))
      if (isFiltered && !criticalOf(behaviour, event)) return
      if (filters !== undefined && behaviour.filtersTools && typeOf(event) === 'aaep:agent.tool.completed')
        return
      const { sequence_number: _, ...unnumbered } = event
      const own = filters !== undefined || rate() < 100_000 ? unnumbered : event
      if (rate() >= 100_000 || behaviour.keepsNoRate) return write(own)
      if (behaviour.holdsCriticals && isCritical(event)) blockedUntil = clock.monotonic() + 2500
      if (!isCritical(event) || behaviour.holdsCriticals) {
        queue = join(queue, own, behaviour)
        drain()
        return
      }
      flush()
      write(own)
    },
    resume(after, latest) {
      const at = sent.findIndex((event) => textOf(event, 'event_id') === after)
      if (at >= 0) {
        const skip = behaviour.losesOnResume ? 3 : behaviour.repeatsOnResume ? 0 : 1
        for (const event of sent.slice(at + skip)) subscription.out?.(event)
      } else if (latest !== undefined)
        subscription.out?.(behaviour.hidesState ? again(latest) : standing(latest))
    },
  }
  return subscription
}

function again(event: JsonObject): JsonObject {
  return { ...event, event_id: `evt_${randomBytes(16).toString('hex')}` }
}

/** The state of the session of this event. */
function standing(event: JsonObject): JsonObject {
  const { '@context': context, aaep_version, session_id, timestamp, producer } = event
  return again({
    '@context': context,
    type: 'aaep:agent.state.changed',
    aaep_version,
    session_id,
    timestamp,
    producer,
    from_state: 'awaiting_input',
    to_state: 'awaiting_input',
  })
}

/** The text of an event in two chunks, the first of which claims to be the last. */
function inHalves(event: JsonObject): readonly JsonObject[] {
  const characters = [...textOf(event, 'chunk')]
  if (characters.length < 2) return [event]
  const middle = characters.length >> 1
  const [head, tail] = [characters.slice(0, middle).join(''), characters.slice(middle).join('')]
  return [
    { ...again(event), chunk: head, complete: false, coalesce_hint: 'completion' },
    { ...event, chunk: tail, position: Number(event['position']) + middle },
  ]
}

/** Adds an event to the queue: joins text, and keeps only the latest progress and the latest state. */
function join(queue: readonly JsonObject[], event: JsonObject, behaviour: Behaviour): JsonObject[] {
  const type = typeOf(event)
  const held = queue.at(-1)
  if (held !== undefined && typeOf(held) === type && type === 'aaep:agent.output.streaming') {
    const chunk = behaviour.losesJoinedText
      ? textOf(event, 'chunk')
      : textOf(held, 'chunk') + textOf(event, 'chunk')
    return [...queue.slice(0, -1), { ...event, chunk, position: held['position'] }]
  }
  if (type !== 'aaep:agent.progress.updated' && type !== 'aaep:agent.state.changed') return [...queue, event]
  return [...queue.filter((earlier) => typeOf(earlier) !== type), event]
}
