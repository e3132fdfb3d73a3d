import type { Log } from '@sluice/log'
import { type JsonObject, omitUndefined, type SluiceEvent } from '@sluice/protocol'
import type { Caller } from '../access/caller.ts'
import type { OpenSubscription } from '../features/aaep/open-subscription.ts'
import type { Subscription } from '../features/aaep/registry-subscription.ts'
import type { Capabilities } from '../features/aaep/terms.ts'
import { callerWith, openTestKernel, type TestKernel } from './open-test-kernel.ts'
import { published } from './sample-lines.ts'
import { createTestConnection, type TestConnection } from './test-connection.ts'
import { until } from './until.ts'

/** The subscriptions of a kernel, on a clock that the test drives. */
export interface TestSubscriptions extends TestKernel {
  /** A subscription with `capabilities` to the named sessions, or to all. */
  subscribe(capabilities?: Capabilities, choice?: JsonObject, caller?: Caller): Promise<Subscription>
  /** Reads a subscription on its own connection. */
  connect(
    subscription: Subscription,
    options?: {
      readonly lastEventId?: string
      readonly caller?: Caller
      readonly connection?: TestConnection
    },
  ): Promise<{ readonly open: OpenSubscription; readonly connection: TestConnection }>
  /** Writes events to a session, one entry per event. */
  tell(session: string, ...events: readonly SluiceEvent[]): Promise<void>
}

export const reader: Caller = callerWith('reader', 'subscribe', 'answer')

export async function openTestSubscriptions(
  options: { readonly log?: Log } = {},
): Promise<TestSubscriptions> {
  const test = await openTestKernel(options)
  const { subscriptions } = test
  await subscriptions.start()
  return {
    ...test,
    async subscribe(capabilities = {}, choice, caller = reader) {
      const message = omitUndefined({
        type: 'subscription.request',
        aaep_version: '1.0.0',
        subscriber_id: 'tester',
        capabilities,
        extensions: choice === undefined ? undefined : { sluice: choice },
      })
      const subscribed = await subscriptions.subscribe(message, { caller })
      if (!subscribed.ok) throw new Error(subscribed.code)
      return subscribed.subscription
    },
    async connect(subscription, { lastEventId, caller = reader, connection = createTestConnection() } = {}) {
      const open = await subscriptions.open(subscription, caller, {
        connection,
        lastEventId,
        transport: 'sse',
      })
      open.stream.start()
      return { open, connection }
    },
    async tell(session, ...events) {
      for (const event of events) await test.publish(session, [published(event)])
    },
    async close() {
      await subscriptions.stop()
      await test.close()
    },
  }
}

/** Waits until a connection has received this many events. */
export function gets(connection: TestConnection, count: number): Promise<void> {
  return until(() => connection.events.length >= count)
}

/** Waits until everything has happened that needs no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function delta(text: string, output = 'a'): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' }
}
