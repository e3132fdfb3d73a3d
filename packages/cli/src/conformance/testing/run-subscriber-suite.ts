import { judgeAll, type Result } from '../judge.ts'
import { examineSubscriber } from '../subscriber/examine-subscriber.ts'
import { subscriberChecks } from '../subscriber/subscriber-checks.ts'
import { createWakefulClock } from '../wakeful-clock.ts'
import { healthySubscriber, runSubscriber, type SubscriberBehaviour } from './broken-subscriber.ts'

export interface SubscriberSuiteSettings {
  readonly transport: 'sse' | 'ws'
  readonly isInteractive?: boolean
}

/** Runs the suite against a subscriber that is healthy but for `defect`. */
export async function runSubscriberSuite(
  defect: Partial<SubscriberBehaviour>,
  { transport, isInteractive = true }: SubscriberSuiteSettings,
): Promise<readonly Result[]> {
  const clock = createWakefulClock()
  const ending = new AbortController()
  let running = Promise.resolve()
  const record = await examineSubscriber({
    port: 0,
    isInteractive,
    times: { arriveMs: 1500, questionMs: 1500, settleMs: 800 },
    toleranceMs: 200,
    clock,
    onListening(url) {
      running = runSubscriber(url, transport, { ...healthySubscriber, ...defect }, clock, ending.signal)
    },
    tell() {},
  })
  ending.abort()
  await running
  return judgeAll(subscriberChecks, record, 3)
}
