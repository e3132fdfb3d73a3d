import type { Report } from '../report.ts'
import { judgeSubscriber } from '../subscriber/judge-subscriber.ts'
import { healthySubscriber, runSubscriber, type SubscriberBehaviour } from './broken-subscriber.ts'
import { createVirtualClock } from './virtual-clock.ts'

export interface SubscriberSuiteSettings {
  readonly transport: 'sse' | 'ws'
  readonly isInteractive?: boolean
}

/** Runs the suite against a subscriber that is healthy except for `defect`. */
export async function runSubscriberSuite(
  defect: Partial<SubscriberBehaviour>,
  { transport, isInteractive = true }: SubscriberSuiteSettings,
): Promise<Report> {
  const clock = createVirtualClock()
  const ending = new AbortController()
  let running = Promise.resolve()
  const report = await judgeSubscriber({
    port: 0,
    isInteractive,
    times: { arriveMs: 1500, questionMs: 1500, settleMs: 800 },
    toleranceMs: 200,
    clock,
    onListening(url) {
      running = runSubscriber(
        { url, transport },
        { ...healthySubscriber, ...defect },
        { clock, signal: ending.signal },
      )
    },
  })
  ending.abort()
  await running
  return report
}
