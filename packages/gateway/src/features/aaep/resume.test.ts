import { type JsonObject, omitUndefined, type SluiceEvent } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  delta,
  openTestSubscriptions,
  settled,
  type TestSubscriptions,
} from '../../testing/open-test-subscriptions.ts'
import { runs } from '../../testing/runs.ts'
import { anyGroups, toLines } from '../../testing/sample-lines.ts'
import type { Subscription } from './registry-subscription.ts'

const anyDialectId = fc.constantFrom('sluice', 'aaep', 'agent-event', 'stream-event', 'a2a', 'a2a-v1')
const anySessions = fc.array(fc.tuple(anyDialectId, anyGroups), { minLength: 1, maxLength: 3 })
const anyRate = fc.constantFrom(undefined, 5)

/** Everything that a connection receives until nothing else comes. */
async function readAll(subscriptions: TestSubscriptions, subscription: Subscription, lastEventId?: string) {
  const { connection, open } = await subscriptions.connect(subscription, omitUndefined({ lastEventId }))
  for (let count = -1; count !== connection.events.length; ) {
    count = connection.events.length
    await settled()
    subscriptions.clock.advance(20_000)
    await settled()
  }
  open.stream.close()
  return { ids: connection.events.map(({ id }) => id), values: connection.values }
}

function textsOf(values: readonly JsonObject[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { session_id, output_id, chunk } of values) {
    if (typeof chunk !== 'string') continue
    const key = `${session_id} ${output_id}`
    texts.set(key, (texts.get(key) ?? '') + chunk)
  }
  return texts
}

const dropped: ReadonlySet<unknown> = new Set([
  'aaep:agent.state.changed',
  'aaep:agent.progress.updated',
  'aaep:agent.output.streaming',
])

/** The events of a session that are sent regardless of joining and dropping. */
function toldOf(values: readonly JsonObject[], session: string): readonly string[] {
  return values
    .filter((value) => value['session_id'] === session && !dropped.has(value['type']))
    .map(({ type, event_id }) => `${type} ${event_id}`)
}

for (const isNamed of [true, false])
  test(`the id of any event leads back to it, ${isNamed ? 'in a session' : 'among all sessions'}`, async () => {
    await fc.assert(
      fc.asyncProperty(anySessions, anyRate, fc.nat(), async (sessions, rate, random) => {
        const subscriptions = await openTestSubscriptions()
        const ids = sessions.slice(0, isNamed ? 1 : 3).map((_, index) => `sess_r${index}`)
        const subscription = await subscriptions.subscribe(
          rate === undefined ? {} : { max_events_per_second: rate },
          isNamed ? { sessions: ids } : undefined,
        )
        for (const [index, id] of ids.entries()) {
          const [dialect, groups] = sessions[index] ?? []
          if (dialect !== undefined && groups !== undefined)
            await subscriptions.publish(id, toLines(dialectById(dialect), id, groups), dialect)
        }
        const whole = await readAll(subscriptions, subscription)
        expect(new Set(whole.ids).size).toBe(whole.ids.length)
        const cuts = isNamed ? whole.ids.keys() : [random % Math.max(1, whole.ids.length)]
        for (const cut of cuts) {
          const lastEventId = whole.ids[cut]
          if (lastEventId === undefined) continue
          const rest = await readAll(subscriptions, subscription, lastEventId)
          const values = [...whole.values.slice(0, cut + 1), ...rest.values]
          expect(textsOf(values)).toEqual(textsOf(whole.values))
          for (const id of ids) expect(toldOf(values, id)).toEqual(toldOf(whole.values, id))
        }
        await subscriptions.close()
      }),
      { numRuns: runs(isNamed ? 15 : 30) },
    )
  })

test('ids that another gateway minted for the session are not taken for ours', async () => {
  const subscriptions = await openTestSubscriptions()
  const id = 'sess_twice'
  const together: readonly SluiceEvent[] = [
    { kind: 'tool-call', call: 'c1', tool: 'search' },
    delta('Hello. '),
  ]
  await subscriptions.publish(
    id,
    toLines(dialectById('aaep'), id, [[{ kind: 'session-start' }], together]),
    'aaep',
  )
  const subscription = await subscriptions.subscribe({}, { sessions: [id] })
  const whole = await readAll(subscriptions, subscription)
  for (const [cut, lastEventId] of whole.ids.entries())
    expect((await readAll(subscriptions, subscription, lastEventId)).ids).toEqual(whole.ids.slice(cut + 1))
  await subscriptions.close()
})
